import type { Database } from '../../../base/sqlite.ts';
import { type Answer, type AnswerRow, answerOf } from '../../journal/packed/answer.ts';
import type { AnswerChanges } from '../../journal/packed/answer-changes.ts';
import { type Fates, PackedFates, packFates, stateMask } from '../../journal/packed/fate-codec.ts';

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

  write(changes: AnswerChanges): void {
    for (const { answer, fates } of changes.all()) this.#change(answer, fates);
  }

  #change(answer: Answer, fates: Fates): void {
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
