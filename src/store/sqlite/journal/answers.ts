import type { Database } from '../../../base/sqlite.ts';
import type { JournaledKind, KnownRecord } from '../../journal/push-journal.ts';
import { PackedEntries } from './entry-codec.ts';
import { kindOf, stateCodes } from './enum-codes.ts';
import { type Fates, PackedFates, packFates, stateMask } from './fate-codec.ts';

/** A request that has ended, with what is known of its entries since. */
export interface Answer {
  /** In the order in which requests ended. */
  readonly id: number;
  readonly kind: JournaledKind;
  /** The run that sent it; none where an older version did. */
  readonly run: string | null;
  readonly entries: PackedEntries;
  readonly fates: PackedFates;
}

/** The entry at one position of an answer. */
export interface FoundRecord {
  readonly answer: Answer;
  readonly position: number;
}

/** Answers that are kept unpacked, some 10 KB each. */
const answersKept = 256;

/**
 * The answers in the file. Those that were read last are kept; `forget` drops them where another process may have
 * changed them.
 */
export class Answers {
  readonly #kept = new Map<number, Answer>();
  readonly #selectOne;
  readonly #selectAfter;
  readonly #update;

  constructor(database: Database) {
    const select = `SELECT answer.id, request.kind, run, entries, fates
      FROM answer CROSS JOIN request ON request.id = answer.request`;
    this.#selectOne = database.prepare(`${select} WHERE answer.id = ?`);
    this.#selectAfter = database.prepare(
      `${select} WHERE answer.id > ? AND mask & ? <> 0 ORDER BY answer.id LIMIT ?`,
    );
    this.#update = database.prepare('UPDATE answer SET mask = ?, fates = ? WHERE id = ?');
  }

  forget(): void {
    this.#kept.clear();
  }

  get(id: number): Answer | undefined {
    const kept = this.#kept.get(id);
    if (kept !== undefined) return kept;
    const row: AnswerRow | undefined = this.#selectOne.get(id);
    return row && this.#keep(answerOf(row));
  }

  /** At most `limit` answers after `id` that hold one of the states of `mask`, in the order in which they came. */
  after(id: number, mask: number, limit: number): readonly Answer[] {
    const rows: readonly AnswerRow[] = this.#selectAfter.all(id, mask, limit);
    return rows.map(answerOf);
  }

  /** Keeps what is known since of the entries of `answer`. */
  change(answer: Answer, fates: Fates): void {
    const blob = packFates(fates);
    this.#update.run(stateMask(fates.states), blob, answer.id);
    this.#keep({ ...answer, fates: new PackedFates(blob, answer.entries.count) });
  }

  #keep(answer: Answer): Answer {
    if (this.#kept.size >= answersKept) {
      const [oldest = 0] = this.#kept.keys();
      this.#kept.delete(oldest);
    }
    this.#kept.set(answer.id, answer);
    return answer;
  }
}

/** Changes of what is known of entries, written an answer at a time. */
export class AnswerChanges {
  readonly #answers: Answers;
  readonly #changed = new Map<number, { readonly answer: Answer; readonly fates: Fates }>();

  constructor(answers: Answers) {
    this.#answers = answers;
  }

  /** The fates of `answer`, to be changed. */
  fatesOf(answer: Answer): Fates {
    const changed = this.#changed.get(answer.id) ?? { answer, fates: answer.fates.unpacked() };
    this.#changed.set(answer.id, changed);
    return changed.fates;
  }

  write(): void {
    for (const { answer, fates } of this.#changed.values()) this.#answers.change(answer, fates);
  }
}

interface AnswerRow {
  readonly id: number;
  readonly kind: number;
  readonly run: string | null;
  readonly entries: Uint8Array;
  readonly fates: Uint8Array;
}

function answerOf({ id, kind, run, entries: blob, fates }: AnswerRow): Answer {
  const entries = new PackedEntries(blob);
  return { id, kind: kindOf(kind), run, entries, fates: new PackedFates(fates, entries.count) };
}

/** What is known of a record that has a fate. */
export function knownRecord({ answer: { entries, fates }, position }: FoundRecord): KnownRecord {
  const state = fates.stateAt(position);
  const known: KnownRecord = {
    fate: state === stateCodes.unknown ? 'unknown' : 'accepted',
    contentHash: entries.contentHashAt(position),
    jobId: fates.jobIdAt(position),
    objectId: fates.objectIdAt(position),
    productOriginId: entries.productAt(position),
    orderOriginId: entries.orderAt(position),
  };
  if (state === stateCodes.succeeded) return { ...known, jobState: 'succeeded' };
  return state === stateCodes.failed ? { ...known, jobState: 'failed' } : known;
}
