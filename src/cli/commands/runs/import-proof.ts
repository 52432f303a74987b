import { IdNumbers } from '../../../input/ids/id-numbers.ts';
import { placeKey } from '../../../push/plan/plan-line.ts';
import { emptyTally, type OutcomeWord, outcomeWords, type RecordPlace } from '../../../push/steps/outcome.ts';
import type { Run, RunRecord } from '../../../store/runs/run-log.ts';

/** What became of a record in all runs of an import: nothing, its last outcome, or two sendings. */
export type Fate = OutcomeWord | 'none' | 'repeated';

/** A run, as far as it matters for its records. */
export interface RunOfProof {
  readonly run: Pick<Run, 'files'>;
  /** The index of the journal that it is on record in. */
  readonly place: number;
}

/** The key of a record in all runs of an import, which may name the files of the input by other paths. */
export function recordKey({ file, line, originId }: RecordPlace, { run: { files } }: RunOfProof): string {
  return placeKey({ file: `${files.indexOf(file)}`, line, originId });
}

/** In the order of their codes. */
export const fates: readonly Fate[] = ['none', ...outcomeWords, 'repeated'];
const codeOf = new Map(fates.map((fate, code) => [fate, code]));

export function emptyFates(): Record<Fate, number> {
  return { none: 0, ...emptyTally(), repeated: 0 };
}

/** Outcomes of a record that was sent, or may have been. */
const sendings: ReadonlySet<Fate> = new Set(['created', 'updated', 'queued', 'unknown']);
/** Outcomes of one that was sent before and made no second time. */
const passings: ReadonlySet<Fate> = new Set(['updated', 'unchanged', 'skipped', 'rejected']);
/** Outcomes that a later run with the same journal decides; any other sending after a sending is a second one. */
const openSendings: ReadonlySet<Fate> = new Set(['queued', 'unknown']);

/** A record is known by its fate, and by the journal of the run that sent it, from 1; 0 where none did. */
const fateLimit = 16;

/**
 * Finds out what became of each record of an import. It takes the records of all runs in the order in which the runs
 * began, and holds some 27 bytes of each record.
 */
export class ImportProof {
  readonly #states = new IdNumbers();

  /** Takes records of a run: those that it was to send, or their outcomes. */
  take(records: readonly RunRecord[], run: RunOfProof): void {
    for (const record of records) {
      const outcome = fates.find((fate) => fate === record.outcome) ?? 'none';
      this.#states.put(recordKey(record, run), (state = 0) => next(state, outcome, run.place + 1));
    }
  }

  fateOf(record: RunRecord, run: RunOfProof): Fate {
    return fateIn(this.#states.get(recordKey(record, run)) ?? 0);
  }

  /** How many records came to each fate. */
  tally(): Readonly<Record<Fate, number>> {
    const tally = emptyFates();
    for (const state of this.#states.numbers()) tally[fateIn(state)] += 1;
    return tally;
  }
}

function fateIn(state: number): Fate {
  return fates[state % fateLimit] ?? 'none';
}

/** What is known of a record after a run with this journal came to `outcome`. */
function next(state: number, outcome: Fate, journal: number): number {
  const before = fateIn(state);
  const sender = Math.floor(state / fateLimit);
  if (outcome === 'none' || before === 'repeated') return state;
  // What was attempted without success was not sent.
  if (outcome === 'failed') return stateOf(outcome, 0);
  if (sender === 0) return stateOf(outcome, sendings.has(outcome) ? journal : 0);
  if (passings.has(outcome)) return before === 'unknown' ? stateOf(outcome, sender) : state;
  const isSame = sender === journal && openSendings.has(before);
  return stateOf(isSame ? outcome : 'repeated', journal);
}

function stateOf(fate: Fate, journal: number): number {
  return (codeOf.get(fate) ?? 0) + fateLimit * journal;
}
