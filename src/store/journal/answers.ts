import { chunk } from '../../base/lists.ts';
import type { Dialect, Sql, SqlValue, Transaction } from '../sql/sql.ts';
import {
  clearOutcome,
  copyOutcomes,
  type Outcomes,
  packOutcomes,
  stateMask,
  unpackEntries,
  unpackOutcomes,
} from './columns.ts';
import { createFindIds, type FindIds } from './find-ids.ts';
import { hashOrder } from './id-hash.ts';
import { type Answer, type FoundRecord, kindOf, originIdOf, Question } from './last-entries.ts';
import type { JobEnd, JournaledKind, Resolution } from './push-journal.ts';
import { journaledKinds, type RecordState } from './record-state.ts';
import type { JournalTables } from './tables.ts';

/**
 * Reads answers. Pass the `query` of a transaction that changes answers; without it, only committed answers are read.
 */
export interface Answers {
  /**
   * Returns the last entries that decide the records, converted by `make`, in the order of `originIds`. Records never
   * sent are absent.
   */
  known<Made>(
    kind: JournaledKind,
    originIds: readonly string[],
    make: (record: FoundRecord) => Made,
    query?: Query,
  ): Promise<ReadonlyMap<string, Made>>;
  /** Returns the last entries of records, even if they failed after an earlier creation. */
  last(
    kind: JournaledKind,
    originIds: readonly string[],
    query: Query,
  ): Promise<ReadonlyMap<string, FoundRecord>>;
  /** The answers that may contain items of these orders. */
  ofOrders(orderOriginIds: readonly string[]): AsyncIterable<Answer>;
  /** Filters the entries that decide their records. `entries` must be in the order of their answers. */
  current<Found extends FoundRecord>(entries: readonly Found[], query?: Query): Promise<readonly Found[]>;
  /** Pages of the answers with one of these states, in order. */
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

/** Answers of the first read, which usually decide most records of a question. */
const firstAnswers = 32;
const answersAtOnce = 64;
/** Answers per page of a list. */
const answersOfPage = 32;
/** Ids looked up in one round trip. */
const idsAtOnce = 2000;

type ReadWhere = (where: string, parameters: readonly SqlValue[], query: Query) => Promise<readonly Answer[]>;

/** Reads answers of the state, which is the first parameter. */
function createRead({ state }: JournalTables): ReadWhere {
  return async (where, parameters, query) => {
    const text = `SELECT push_answer.id, run, entries, fates
      FROM push_answer JOIN push_request ON push_request.id = push_answer.request
      WHERE push_answer.state = $1 AND ${where}`;
    return (await query<AnswerRow>(text, [state, ...parameters])).map(answerOf);
  };
}

export interface AnswersOptions {
  readonly findIds?: FindIds;
  /** Pseudo-answers for requests in progress, oldest first. They override all real answers. */
  readonly underWay?: readonly Answer[];
}

/** The integers in the second parameter, a JSON list. */
function selectIntegers({ integer, eachText }: Dialect): string {
  return `SELECT CAST(value AS ${integer}) FROM ${eachText('$2')} AS list`;
}

/** Finds answers by `findIds` or by state. */
export function createAnswers(
  tables: JournalTables,
  { findIds = createFindIds(tables), underWay = [] }: AnswersOptions = {},
): Answers {
  const { sql, state } = tables;
  const read = createRead(tables);

  /** The answers with these numbers, newest first. */
  async function* numbered(ids: readonly number[], query: Query): AsyncGenerator<Answer> {
    const where = `push_answer.id IN (${selectIntegers(sql.dialect)}) ORDER BY push_answer.id DESC`;
    for (const part of chunk(ids, answersAtOnce)) yield* await read(where, [JSON.stringify(part)], query);
  }

  /** Reads the answers with a number greater than `after`. */
  async function ask(question: Question, after: number, query: Query): Promise<void> {
    if (question.isAnswered) return;
    const ids = await findIds(question.hashes(state), after, query);
    for await (const answer of numbered(ids.slice(0, firstAnswers), query)) question.add(answer);
    if (ids.length <= firstAnswers || question.isAnswered) return;
    // Records never sent have no answer. A second search skips answers about records already decided.
    const seen = new Set(ids.slice(0, firstAnswers));
    const others = (await findIds(question.hashes(state), after, query)).filter((id) => !seen.has(id));
    for await (const answer of numbered(others, query)) {
      question.add(answer);
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
      for (const answer of underWay.toReversed()) question.add(answer);
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
    // The mask and the order match an index.
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
  return Array.from(changes.all(), ({ answer: { id }, outcomes }) => [
    stateMask(outcomes.states),
    packOutcomes(outcomes),
    id,
  ]);
}

/** The number of the last recorded answer, or 0. */
export async function lastAnswer({ sql }: JournalTables): Promise<number> {
  const [row] = await sql.read<{ readonly last: bigint | null }>('SELECT max(id) AS last FROM push_answer');
  return Number(row?.last ?? 0);
}

function answerOf({ id, run, entries: packed, fates }: AnswerRow): Answer {
  const entries = unpackEntries(packed);
  return { id: Number(id), run, entries, outcomes: unpackOutcomes(fates, entries.originIds.length) };
}

/** An answer, and the new outcomes of its entries. */
export interface ChangedAnswer {
  readonly answer: Answer;
  readonly outcomes: Outcomes;
}

/** Collects changes of outcomes, so that each answer is written once, however many of its entries changed. */
export class AnswerChanges {
  readonly #changed = new Map<number, ChangedAnswer>();

  /** The answers that have changed. */
  all(): Iterable<ChangedAnswer> {
    return this.#changed.values();
  }

  /** Records the end of the job of a record, unless the record has another job by now. */
  endJob({ answer, position }: FoundRecord, { jobId, state, objectId, failureReason }: JobEnd): void {
    if (answer.outcomes.jobIds[position] !== jobId) return;
    const outcomes = this.#outcomesOf(answer);
    outcomes.states[position] = state;
    outcomes.objectIds[position] = objectId;
    outcomes.failureReasons[position] = failureReason;
  }

  /** Records what a person found out about an unknown record. */
  settle({ answer, position }: FoundRecord, finding: Resolution): void {
    const outcomes = this.#outcomesOf(answer);
    const hasJob = typeof outcomes.jobIds[position] === 'string';
    if (finding === 'not-sent') clearOutcome(outcomes, position, 'forgotten');
    // The job without a trace of the record is not polled again: the person has found what it made.
    else outcomes.states[position] = hasJob ? 'succeeded' : 'accepted';
  }

  #outcomesOf(answer: Answer): Outcomes {
    const changed = this.#changed.get(answer.id) ?? { answer, outcomes: copyOutcomes(answer.outcomes) };
    this.#changed.set(answer.id, changed);
    return changed.outcomes;
  }
}
