import { IdNumbers } from '../../../base/id-set.ts';
import { placeKey } from '../../../push/plan/plan-line.ts';
import { emptyTally, type OutcomeWord, outcomeWords, type RecordPlace } from '../../../push/steps/outcome.ts';
import type { Run, RunRecord } from '../../../store/runs/run-log.ts';

/** The fate of a record over all runs of an import: none, its last outcome, or sent repeatedly. */
export type Fate = OutcomeWord | 'none' | 'repeated';

/** The key of a record over all runs of an import, which may refer to the files of the input by different paths. */
export function recordKey({ file, line, originId }: RecordPlace, { files }: Pick<Run, 'files'>): string {
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
/** Outcomes of a record that was sent before and not created again. */
const passings: ReadonlySet<Fate> = new Set(['updated', 'unchanged', 'skipped', 'rejected']);
/** Outcomes that a later run resolves; any other sending after a sending is a second one. */
const openSendings: ReadonlySet<Fate> = new Set(['queued', 'unknown']);

/** A state is the code of a fate, plus this value if a run sent the record. */
const sent = 16;

/**
 * Determines the fate of each record of an import. It reads the records of all runs in the order of their starts, and
 * needs some 27 bytes for each record.
 */
export class ImportProof {
  readonly #states = new IdNumbers();

  /** Adds records of a run: those that it was to send, or their outcomes. */
  take(records: readonly RunRecord[], run: Pick<Run, 'files'>): void {
    for (const record of records) {
      const outcome = fates.find((fate) => fate === record.outcome) ?? 'none';
      this.#states.put(recordKey(record, run), (state = 0) => next(state, outcome));
    }
  }

  fateOf(record: RunRecord, run: Pick<Run, 'files'>): Fate {
    return fateIn(this.#states.get(recordKey(record, run)) ?? 0);
  }

  /** Numbers of records by fate. */
  tally(): Readonly<Record<Fate, number>> {
    const tally = emptyFates();
    for (const state of this.#states.numbers()) tally[fateIn(state)] += 1;
    return tally;
  }
}

function fateIn(state: number): Fate {
  return fates[state % sent] ?? 'none';
}

/** The state of a record after a run with this `outcome`. */
function next(state: number, outcome: Fate): number {
  const before = fateIn(state);
  const wasSent = state >= sent;
  if (outcome === 'none' || before === 'repeated') return state;
  // An attempt without success counts as not sent.
  if (outcome === 'failed') return stateOf(outcome, false);
  if (!wasSent) return stateOf(outcome, sendings.has(outcome));
  if (passings.has(outcome)) return before === 'unknown' ? stateOf(outcome, true) : state;
  return stateOf(openSendings.has(before) ? outcome : 'repeated', true);
}

function stateOf(fate: Fate, isSent: boolean): number {
  return (codeOf.get(fate) ?? 0) + (isSent ? sent : 0);
}
