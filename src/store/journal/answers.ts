import type { Sql, SqlValue, Transaction } from '../sql/sql.ts';
import { codeOfJobState, kindCodes, kindOf, stateCodes } from './codes.ts';
import {
  clearFate,
  copyFates,
  type Entries,
  type Fates,
  packFates,
  stateMask,
  unpackEntries,
  unpackFates,
} from './columns.ts';
import { createFindIds } from './find-ids.ts';
import { hashOrder, hashRecord } from './id-hash.ts';
import type { JobEnd, JournaledKind, Resolution } from './push-journal.ts';
import type { JournalTables } from './tables.ts';

/** What is known of the entries of a request. Later answers have greater numbers, and override earlier ones. */
export interface Answer {
  readonly id: number;
  readonly kind: JournaledKind;
  /** The run that sent the request; none outside of a run. */
  readonly run: string | null;
  readonly entries: Entries;
  readonly fates: Fates;
}

/** The entry at one position of an answer. */
export interface FoundRecord {
  readonly answer: Answer;
  readonly position: number;
}

export interface WantedAnswers {
  readonly after: number;
  /** They hold one of the states of this mask. */
  readonly mask: number;
  readonly limit: number;
}

/** `query` is that of a transaction which changes answers; without it, what is committed is read. */
export interface Answers {
  /**
   * What `make` makes of the last entries of records, which decide about them, in the order of `originIds`. Those never
   * sent are absent.
   */
  known<Made>(
    kind: JournaledKind,
    originIds: readonly string[],
    make: (record: FoundRecord) => Made,
    query?: Query,
  ): Promise<ReadonlyMap<string, Made>>;
  /** Those that may hold items of these orders. */
  ofOrders(orderOriginIds: readonly string[]): AsyncIterable<Answer>;
  /** Those of `positions` of an answer that decide about their records: no later entry overrides them. */
  current(answer: Answer, positions: readonly number[]): Promise<readonly number[]>;
  list(wanted: WantedAnswers, query?: Query): Promise<readonly Answer[]>;
  write(transaction: Transaction, changes: AnswerChanges): Promise<void>;
}

type Query = Sql['read'];

interface AnswerRow {
  readonly id: bigint;
  readonly kind: bigint;
  readonly run: string | null;
  readonly entries: Uint8Array;
  readonly fates: Uint8Array;
}

/** Answers that are kept unpacked, some 10 KB each. */
const answersKept = 64;
/** Answers that are read at once. */
const answersAtOnce = 64;
/** Ids that are looked up in one round trip. */
const idsAtOnce = 2000;

/** Those that `findIds` finds, or that are listed. */
export function createAnswers(tables: JournalTables, findIds = createFindIds(tables)): Answers {
  const { sql, state } = tables;
  const answerOf = createUnpack();
  const select = `SELECT push_answer.id, kind, run, entries, fates
    FROM push_answer JOIN push_request ON push_request.id = push_answer.request
    WHERE push_answer.state = $1`;

  async function read(
    query: Query,
    text: string,
    parameters: readonly SqlValue[],
  ): Promise<readonly Answer[]> {
    return (await query<AnswerRow>(text, parameters)).map(answerOf);
  }

  /** Those after one that may hold something of these hashes, the newest first. */
  async function* having(hashes: Int32Array, after = 0, query = sql.read): AsyncGenerator<Answer> {
    const ids = hashes.length === 0 ? [] : await findIds(hashes, after);
    const text = `${select} AND push_answer.id IN ${sql.dialect.integersIn('$2')} ORDER BY push_answer.id DESC`;
    // Most often the newest ones decide.
    for (
      let first = 0, count = 4;
      first < ids.length;
      first += count, count = Math.min(2 * count, answersAtOnce)
    ) {
      yield* await read(query, text, [state, JSON.stringify(ids.slice(first, first + count))]);
    }
  }

  return {
    known: async <Made>(
      kind: JournaledKind,
      originIds: readonly string[],
      make: (record: FoundRecord) => Made,
      query?: Query,
    ) => {
      const code = kindCodes[kind];
      const known = new Map<string, Made>();
      for (let first = 0; first < originIds.length; first += idsAtOnce) {
        const question = new Question(code, originIds.slice(first, first + idsAtOnce));
        for await (const answer of having(question.hashes(state), 0, query)) {
          question.take(answer);
          if (question.isAnswered) break;
        }
        question.putFound(known, make);
      }
      return known;
    },
    ofOrders: (orders) => having(Int32Array.from(orders, (order) => hashOrder(state, order))),
    current: async (answer, positions) => {
      const { id, entries } = answer;
      const hashes = Int32Array.from(positions, (position) =>
        hashRecord(state, entries.kinds[position] ?? 0, entries.originIds[position] ?? ''),
      );
      const current = lastOf(answer, positions);
      for await (const later of having(hashes, id)) {
        for (const position of decidedBy(later)) current.delete(keyAt(later.entries, position));
      }
      return positions.filter((position) => current.get(keyAt(entries, position)) === position);
    },
    // The mask is part of the text, as an index has it.
    list: ({ after, mask, limit }, query = sql.read) => {
      const text = `${select} AND push_answer.id > $2 AND mask & ${mask} <> 0 ORDER BY push_answer.id LIMIT $3`;
      return read(query, text, [state, after, limit]);
    },
    write: ({ many }, changes) =>
      many('UPDATE push_answer SET mask = $1, fates = $2 WHERE id = $3', rowsOf(changes)),
  };
}

/** Those of `positions` by their records, but for records that come again later in the answer. */
function lastOf(answer: Answer, positions: readonly number[]): Map<string, number> {
  const { entries } = answer;
  const last = new Map(positions.map((position) => [keyAt(entries, position), position]));
  for (const position of decidedBy(answer)) {
    const key = keyAt(entries, position);
    if ((last.get(key) ?? position) < position) last.delete(key);
  }
  return last;
}

function rowsOf(changes: AnswerChanges): SqlValue[][] {
  return Array.from(changes.all(), ({ answer: { id }, fates }) => [
    stateMask(fates.states),
    packFates(fates),
    id,
  ]);
}

/** The number of the answer that was put on record last; 0 where there is none. */
export async function lastAnswer({ sql }: JournalTables): Promise<number> {
  const [row] = await sql.read<{ readonly last: bigint | null }>('SELECT max(id) AS last FROM push_answer');
  return Number(row?.last ?? 0);
}

/** Unpacks answers, of which the last ones are kept: as a rule, neighbours are asked for one after the other. */
function createUnpack(): (row: AnswerRow) => Answer {
  const kept = new Map<number, { readonly fates: Uint8Array; readonly answer: Answer }>();
  return ({ id: number, kind: code, run, entries: packed, fates }) => {
    const id = Number(number);
    const known = kept.get(id);
    if (known !== undefined && Buffer.compare(known.fates, fates) === 0) return known.answer;
    const entries = known?.answer.entries ?? unpackEntries(packed);
    const kind = kindOf(Number(code));
    const answer = { id, kind, run, entries, fates: unpackFates(fates) };
    kept.delete(id);
    kept.set(id, { fates, answer });
    const [oldest] = kept.keys();
    if (kept.size > answersKept && oldest !== undefined) kept.delete(oldest);
    return answer;
  };
}

/** Asks for the last entries of records. */
class Question {
  readonly #kind: number;
  readonly #originIds: readonly string[];
  readonly #places: Map<string, number>;
  /** By the places of their originIds. */
  readonly #answers: (Answer | undefined)[];
  readonly #positions: Int32Array;
  readonly #isDecided: Uint8Array;
  #open: number;

  constructor(kind: number, originIds: readonly string[]) {
    this.#kind = kind;
    this.#originIds = originIds;
    this.#places = new Map(originIds.map((originId, place) => [originId, place]));
    this.#answers = new Array(originIds.length);
    this.#positions = new Int32Array(originIds.length);
    this.#isDecided = new Uint8Array(originIds.length);
    this.#open = this.#places.size;
  }

  get isAnswered(): boolean {
    return this.#open === 0;
  }

  hashes(state: number): Int32Array {
    const hashes = new Int32Array(this.#originIds.length);
    for (const [at, originId] of this.#originIds.entries())
      hashes[at] = hashRecord(state, this.#kind, originId);
    return hashes;
  }

  /**
   * Answers are taken newest first, and of an id that comes twice in one, the last. A record that was forgotten is
   * decided, and not found.
   */
  take(answer: Answer): void {
    const { originIds, kinds } = answer.entries;
    const { states } = answer.fates;
    for (let position = originIds.length - 1; position >= 0; position -= 1) {
      if (states[position] === stateCodes.none || kinds[position] !== this.#kind) continue;
      const place = this.#places.get(originIds[position] ?? '');
      if (place === undefined || this.#isDecided[place] === 1) continue;
      this.#isDecided[place] = 1;
      this.#open -= 1;
      if (states[position] === stateCodes.forgotten) continue;
      this.#answers[place] = answer;
      this.#positions[place] = position;
    }
  }

  putFound<Made>(known: Map<string, Made>, make: (record: FoundRecord) => Made): void {
    for (const [originId, place] of this.#places) {
      const answer = this.#answers[place];
      const position = this.#positions[place] ?? 0;
      if (answer !== undefined) known.set(originId, make({ answer, position }));
    }
  }
}

/** The positions of an answer that say something of their records. */
function decidedBy({ fates: { states } }: Answer): readonly number[] {
  return [...states.keys()].filter((position) => states[position] !== stateCodes.none);
}

function keyAt({ kinds, originIds }: Entries, position: number): string {
  return `${kinds[position]} ${originIds[position]}`;
}

/** An answer, and what is to be known of its entries from now on. */
export interface ChangedAnswer {
  readonly answer: Answer;
  readonly fates: Fates;
}

/** Changes of what is known of entries, so that an answer is written once however many of its entries changed. */
export class AnswerChanges {
  readonly #changed = new Map<number, ChangedAnswer>();

  /** The answers that have changed. */
  all(): Iterable<ChangedAnswer> {
    return this.#changed.values();
  }

  /** How the job of a record ended. Of a record that has another job by now, nothing changes. */
  endJob({ answer, position }: FoundRecord, { jobId, state, objectId, failureReason }: JobEnd): void {
    if (answer.fates.jobIds[position] !== jobId) return;
    const fates = this.#fatesOf(answer);
    fates.states[position] = codeOfJobState[state];
    fates.objectIds[position] = objectId;
    fates.failureReasons[position] = failureReason;
  }

  /** What a person found out about an unknown record. */
  settle({ answer, position }: FoundRecord, finding: Resolution): void {
    const fates = this.#fatesOf(answer);
    const hasJob = typeof fates.jobIds[position] === 'string';
    if (finding === 'not-sent') clearFate(fates, position, stateCodes.forgotten);
    // A job that did not show it is not asked again: the person has found what it made.
    else fates.states[position] = hasJob ? stateCodes.succeeded : stateCodes.accepted;
  }

  #fatesOf(answer: Answer): Fates {
    const changed = this.#changed.get(answer.id) ?? { answer, fates: copyFates(answer.fates) };
    this.#changed.set(answer.id, changed);
    return changed.fates;
  }
}
