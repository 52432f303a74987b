import type { Sql, SqlValue, Transaction } from '../sql/sql.ts';
import { codeOfJobState, kindCodes, kindOf, stateCodes } from './codes.ts';
import {
  clearFate,
  copyFates,
  type Fates,
  packFates,
  stateMask,
  unpackEntries,
  unpackFates,
} from './columns.ts';
import { createFindIds } from './find-ids.ts';
import { hashOrder } from './id-hash.ts';
import { type Answer, type FoundRecord, LastEntries, Question } from './last-entries.ts';
import type { JobEnd, JournaledKind, Resolution } from './push-journal.ts';
import type { JournalTables } from './tables.ts';

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
  /** Those of the entries that decide about their records, as no later one overrides them. */
  current<Found extends FoundRecord>(entries: readonly Found[], query?: Query): Promise<readonly Found[]>;
  list(wanted: WantedAnswers, query?: Query): Promise<readonly Answer[]>;
  write(transaction: Transaction, changes: AnswerChanges): Promise<void>;
}

type Query = Sql['read'];

/** A row of an answer, with its request. */
export interface AnswerRow {
  readonly id: bigint;
  readonly kind: bigint;
  readonly run: string | null;
  readonly entries: Uint8Array;
  readonly fates: Uint8Array;
}

/** Answers that are kept unpacked, some 10 KB each. */
const answersKept = 64;
/** Answers that are read at once: first those that decide about most records of a question, as a rule. */
const firstAnswers = 32;
const answersAtOnce = 64;
/** Ids that are looked up in one round trip. */
const idsAtOnce = 2000;

type ReadWhere = (where: string, parameters: readonly SqlValue[], query: Query) => Promise<readonly Answer[]>;

/** Reads answers of the state, which is the first parameter. */
function createRead({ state }: JournalTables): ReadWhere {
  const answerOf = createUnpack();
  return async (where, parameters, query) => {
    const text = `SELECT push_answer.id, kind, run, entries, fates
      FROM push_answer JOIN push_request ON push_request.id = push_answer.request
      WHERE push_answer.state = $1 AND ${where}`;
    return (await query<AnswerRow>(text, [state, ...parameters])).map(answerOf);
  };
}

/** Those that `findIds` finds, or that are listed. */
export function createAnswers(tables: JournalTables, findIds = createFindIds(tables)): Answers {
  const { sql, state } = tables;
  const read = createRead(tables);

  /** Those of these numbers, the newest first. */
  async function* numbered(ids: readonly number[], query: Query): AsyncGenerator<Answer> {
    const where = `push_answer.id IN ${sql.dialect.integersIn('$2')} ORDER BY push_answer.id DESC`;
    for (let first = 0; first < ids.length; first += answersAtOnce)
      yield* await read(where, [JSON.stringify(ids.slice(first, first + answersAtOnce))], query);
  }

  /** Those after one that may hold something of these hashes, the newest first. */
  async function* having(hashes: Int32Array, after = 0, query = sql.read): AsyncGenerator<Answer> {
    if (hashes.length > 0) yield* numbered(await findIds(hashes, after, query), query);
  }

  async function ask(question: Question, query: Query): Promise<void> {
    const ids = await findIds(question.hashes(state), 0, query);
    for await (const answer of numbered(ids.slice(0, firstAnswers), query)) question.take(answer);
    if (ids.length <= firstAnswers || question.isAnswered) return;
    // What was never sent has no answer, however many there are about the records that are decided by now.
    const seen = new Set(ids.slice(0, firstAnswers));
    const others = (await findIds(question.hashes(state), 0, query)).filter((id) => !seen.has(id));
    for await (const answer of numbered(others, query)) {
      question.take(answer);
      if (question.isAnswered) return;
    }
  }

  return {
    known: async <Made>(
      kind: JournaledKind,
      originIds: readonly string[],
      make: (record: FoundRecord) => Made,
      query = sql.read,
    ) => {
      const known = new Map<string, Made>();
      for (let first = 0; first < originIds.length; first += idsAtOnce) {
        const question = new Question(kindCodes[kind], originIds.slice(first, first + idsAtOnce));
        await ask(question, query);
        question.putFound(known, make);
      }
      return known;
    },
    ofOrders: (orders) => having(Int32Array.from(orders, (order) => hashOrder(state, order))),
    current: async (entries, query = sql.read) => {
      const [oldest] = entries;
      if (oldest === undefined) return [];
      const last = new LastEntries(entries);
      for await (const later of having(last.hashes(state), oldest.answer.id, query)) last.take(later);
      return last.list();
    },
    // The mask and the order are those of an index.
    list: ({ after, mask, limit }, query = sql.read) => {
      const where = `push_answer.id > $2 AND mask & ${mask} <> 0
        ORDER BY push_answer.state, push_answer.id LIMIT $3`;
      return read(where, [after, limit], query);
    },
    write: ({ many }, changes) =>
      many('UPDATE push_answer SET mask = $1, fates = $2 WHERE id = $3', rowsOf(changes)),
  };
}

function rowsOf(changes: AnswerChanges): SqlValue[][] {
  return Array.from(changes.all(), ({ answer: { id }, fates }) => [
    stateMask(fates.states),
    packFates(fates),
    id,
  ]);
}

/** The number of the answer that was put on record last, or 0. */
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
    const answer = { id, kind, run, entries, fates: unpackFates(fates, entries.originIds.length) };
    kept.delete(id);
    kept.set(id, { fates, answer });
    const [oldest] = kept.keys();
    if (kept.size > answersKept && oldest !== undefined) kept.delete(oldest);
    return answer;
  };
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

  /** Notes the end of the job of a record. A record that has another job by now stays as it is. */
  endJob({ answer, position }: FoundRecord, { jobId, state, objectId, failureReason }: JobEnd): void {
    if (answer.fates.jobIds[position] !== jobId) return;
    const fates = this.#fatesOf(answer);
    fates.states[position] = codeOfJobState[state];
    fates.objectIds[position] = objectId;
    fates.failureReasons[position] = failureReason;
  }

  /** Notes what a person found out about an unknown record. */
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
