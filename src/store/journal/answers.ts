import { chunk } from '../../base/lists.ts';
import type { Sql, SqlValue, Transaction } from '../sql/sql.ts';
import {
  clearFate,
  copyFates,
  type Fates,
  packFates,
  stateMask,
  unpackEntries,
  unpackFates,
} from './columns.ts';
import { createFindIds, type FindIds } from './find-ids.ts';
import { hashOrder } from './id-hash.ts';
import { type Answer, type FoundRecord, kindOf, originIdOf, Question } from './last-entries.ts';
import type { JobEnd, JournaledKind, Resolution } from './push-journal.ts';
import { journaledKinds, type RecordState } from './record-state.ts';
import type { JournalTables } from './tables.ts';

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
  /** The last entries of records, also of those that have failed since they were made. */
  last(
    kind: JournaledKind,
    originIds: readonly string[],
    query: Query,
  ): Promise<ReadonlyMap<string, FoundRecord>>;
  /** Those that may hold items of these orders. */
  ofOrders(orderOriginIds: readonly string[]): AsyncIterable<Answer>;
  /** Those of the entries that decide about their records. The entries are in the order of their answers. */
  current<Found extends FoundRecord>(entries: readonly Found[], query?: Query): Promise<readonly Found[]>;
  /** The answers that hold one of these states, in their order, a page at a time. */
  list(states: readonly RecordState[], query?: Query): AsyncIterable<readonly Answer[]>;
  write(transaction: Transaction, changes: AnswerChanges): Promise<void>;
}

type Query = Sql['read'];

/** A row of an answer, with its request. */
export interface AnswerRow {
  readonly id: bigint;
  readonly run: string | null;
  readonly entries: Uint8Array;
  readonly fates: Uint8Array;
}

/** Answers that are kept unpacked, some 10 KB each. */
const answersKept = 64;
/** Answers that are read at once: first those that decide about most records of a question, as a rule. */
const firstAnswers = 32;
const answersAtOnce = 64;
/** Answers of one page of a list. */
const answersOfPage = 32;
/** Ids that are looked up in one round trip. */
const idsAtOnce = 2000;

type ReadWhere = (where: string, parameters: readonly SqlValue[], query: Query) => Promise<readonly Answer[]>;

/** Reads answers of the state, which is the first parameter. */
function createRead({ state }: JournalTables): ReadWhere {
  const answerOf = createUnpack();
  return async (where, parameters, query) => {
    const text = `SELECT push_answer.id, run, entries, fates
      FROM push_answer JOIN push_request ON push_request.id = push_answer.request
      WHERE push_answer.state = $1 AND ${where}`;
    return (await query<AnswerRow>(text, [state, ...parameters])).map(answerOf);
  };
}

export interface AnswersOptions {
  readonly findIds?: FindIds;
  /** Stand for requests under way, the oldest first: what they say of records counts more than any answer. */
  readonly underWay?: readonly Answer[];
}

/** Those that `findIds` finds, or that are listed. */
export function createAnswers(
  tables: JournalTables,
  { findIds = createFindIds(tables), underWay = [] }: AnswersOptions = {},
): Answers {
  const { sql, state } = tables;
  const read = createRead(tables);

  /** Those of these numbers, the newest first. */
  async function* numbered(ids: readonly number[], query: Query): AsyncGenerator<Answer> {
    const where = `push_answer.id IN ${sql.dialect.integersIn('$2')} ORDER BY push_answer.id DESC`;
    for (const part of chunk(ids, answersAtOnce)) yield* await read(where, [JSON.stringify(part)], query);
  }

  /** Asks the answers after one. */
  async function ask(question: Question, after: number, query: Query): Promise<void> {
    if (question.isAnswered) return;
    const ids = await findIds(question.hashes(state), after, query);
    for await (const answer of numbered(ids.slice(0, firstAnswers), query)) question.take(answer);
    if (ids.length <= firstAnswers || question.isAnswered) return;
    // What was never sent has no answer, however many there are about the records that are decided by now.
    const seen = new Set(ids.slice(0, firstAnswers));
    const others = (await findIds(question.hashes(state), after, query)).filter((id) => !seen.has(id));
    for await (const answer of numbered(others, query)) {
      question.take(answer);
      if (question.isAnswered) return;
    }
  }

  async function* asked(
    kind: JournaledKind,
    originIds: readonly string[],
    query: Query,
  ): AsyncGenerator<Question> {
    for (const part of chunk(originIds, idsAtOnce)) {
      const question = new Question(kind, part);
      for (const answer of underWay.toReversed()) question.take(answer);
      await ask(question, 0, query);
      yield question;
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
      for await (const question of asked(kind, originIds, query)) question.putFound(known, make);
      return known;
    },
    last: async (kind, originIds, query) => {
      const last = new Map<string, FoundRecord>();
      for await (const question of asked(kind, originIds, query)) question.putLast(last);
      return last;
    },
    ofOrders: async function* (orders) {
      yield* underWay;
      const hashes = Int32Array.from(orders, (order) => hashOrder(state, order));
      yield* numbered(await findIds(hashes, 0, sql.read), sql.read);
    },
    current: async (entries, query = sql.read) => {
      const before = (entries[0]?.answer.id ?? 0) - 1;
      const questions = new Map<JournaledKind | undefined, Question>();
      for (const kind of journaledKinds) {
        const ofKind = entries.filter((entry) => kindOf(entry) === kind);
        const question = new Question(kind, ofKind.map(originIdOf));
        await ask(question, before, query);
        questions.set(kind, question);
      }
      return entries.filter((entry) => questions.get(kindOf(entry))?.isLast(entry));
    },
    // The mask and the order are those of an index.
    list: async function* (states, query = sql.read) {
      const where = `push_answer.id > $2 AND mask & ${stateMask(states)} <> 0
        ORDER BY push_answer.state, push_answer.id LIMIT ${answersOfPage}`;
      for (let after = 0; ; ) {
        const page = await read(where, [after], query);
        yield page;
        if (page.length < answersOfPage) return;
        after = page.at(-1)?.id ?? after;
      }
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
  return ({ id: number, run, entries: packed, fates }) => {
    const id = Number(number);
    const known = kept.get(id);
    if (known !== undefined && Buffer.compare(known.fates, fates) === 0) return known.answer;
    const entries = known?.answer.entries ?? unpackEntries(packed);
    const answer = { id, run, entries, fates: unpackFates(fates, entries.originIds.length) };
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
    fates.states[position] = state;
    fates.objectIds[position] = objectId;
    fates.failureReasons[position] = failureReason;
  }

  /** Notes what a person found out about an unknown record. */
  settle({ answer, position }: FoundRecord, finding: Resolution): void {
    const fates = this.#fatesOf(answer);
    const hasJob = typeof fates.jobIds[position] === 'string';
    if (finding === 'not-sent') clearFate(fates, position, 'forgotten');
    // A job that did not show it is not asked again: the person has found what it made.
    else fates.states[position] = hasJob ? 'succeeded' : 'accepted';
  }

  #fatesOf(answer: Answer): Fates {
    const changed = this.#changed.get(answer.id) ?? { answer, fates: copyFates(answer.fates) };
    this.#changed.set(answer.id, changed);
    return changed.fates;
  }
}
