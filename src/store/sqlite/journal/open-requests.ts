import type { Database } from '../../../base/sqlite.ts';
import { kindCodes } from '../../journal/packed/enum-codes.ts';
import { type BegunRequest, begunRequest, type RequestRow } from '../../journal/packed/open-request.ts';
import type { JournaledKind, RequestId } from '../../journal/push-journal.ts';

/** A request of a kind up to which all have ended, and an answer before those of all later ones. */
export interface EndMark {
  readonly request: RequestId;
  readonly answer: number;
}

/** Requests that are looked through rather than that a mark is written. */
const unmarkedMaximum = 64;

/**
 * The requests that have no answer. A mark of each kind saves looking through all requests for them; it is true for
 * ever once it was true while the lock of its kind was held. Shards, which hold no such lock, set none.
 */
export class OpenRequests {
  readonly #select;
  readonly #selectLast;
  readonly #selectMark;
  readonly #setMark;

  constructor(database: Database) {
    this.#select = database.prepare(
      `SELECT id, run, entries FROM request
       WHERE id > :request AND kind = :kind AND id NOT IN (SELECT request FROM answer WHERE id > :answer) ORDER BY id`,
    );
    this.#selectLast = database.prepare(
      'SELECT coalesce(max(request), 0) AS request, coalesce(max(id), 0) AS answer FROM answer WHERE id > ?',
    );
    this.#selectMark = database.prepare('SELECT request, answer FROM end_mark WHERE kind = ?');
    this.#setMark = database.prepare(
      'INSERT OR REPLACE INTO end_mark (kind, request, answer) VALUES (?, ?, ?)',
    );
  }

  /** Those of the runs that `isOf` names; of all without it. */
  list(kind: JournaledKind, isOf: (run: string | null) => boolean = () => true): readonly BegunRequest[] {
    const { request, answer } = this.#markOf(kind);
    const rows: RequestRow[] = this.#select.all({ kind: kindCodes[kind], request, answer });
    return rows.filter(({ run }) => isOf(run)).map((row) => begunRequest(kind, row));
  }

  /** After every request of `kind` has ended: marks that. */
  markAll(kind: JournaledKind): EndMark {
    const { request, answer } = this.#markOf(kind);
    const last: EndMark = this.#selectLast.get(answer);
    const mark = { request: Math.max(request, last.request), answer: Math.max(answer, last.answer) };
    this.mark(kind, mark);
    return mark;
  }

  mark(kind: JournaledKind, { request, answer }: EndMark): void {
    const isFarOff = request - this.#markOf(kind).request > unmarkedMaximum;
    if (isFarOff) this.#setMark.run(kindCodes[kind], request, answer);
  }

  #markOf(kind: JournaledKind): EndMark {
    const mark: EndMark | undefined = this.#selectMark.get(kindCodes[kind]);
    return mark ?? { request: 0, answer: 0 };
  }
}
