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
  /** What decides about records: their last entries, in any order. Those never sent are absent. */
  known(
    kind: JournaledKind,
    originIds: readonly string[],
    query?: Query,
  ): Promise<ReadonlyMap<string, FoundRecord>>;
  /** Those that may hold items of these orders. */
  ofOrders(orderOriginIds: readonly string[]): AsyncIterable<Answer>;
  /** Those of `positions` of an answer that decide about their records: no later answer overrides them. */
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

export function createAnswers(tables: JournalTables): Answers {
  const { sql, state } = tables;
  const findIds = createFindIds(tables);
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
  async function* find(hashes: Int32Array, after = 0, query = sql.read): AsyncGenerator<Answer> {
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
    known: async (kind, originIds, query) => {
      const code = kindCodes[kind];
      const found = new Map<string, FoundRecord>();
      for (let first = 0; first < originIds.length; first += idsAtOnce) {
        const missing = new Set(originIds.slice(first, first + idsAtOnce));
        const hashes = Int32Array.from(missing, (originId) => hashRecord(state, code, originId));
        for await (const answer of find(hashes, 0, query)) {
          takeLast(answer, code, missing, found);
          if (missing.size === 0) break;
        }
      }
      return found;
    },
    ofOrders: (orders) => find(Int32Array.from(orders, (order) => hashOrder(state, order))),
    current: async ({ id, entries }, positions) => {
      const hashes = Int32Array.from(positions, (position) =>
        hashRecord(state, entries.kinds[position] ?? 0, entries.originIds[position] ?? ''),
      );
      const current = new Map(positions.map((position) => [keyAt(entries, position), position]));
      for await (const later of find(hashes, id)) {
        for (const position of decidedBy(later)) current.delete(keyAt(later.entries, position));
      }
      return [...current.values()];
    },
    // The mask is part of the text, as an index has it.
    list: ({ after, mask, limit }, query = sql.read) => {
      const text = `${select} AND push_answer.id > $2 AND mask & ${mask} <> 0 ORDER BY push_answer.id LIMIT $3`;
      return read(query, text, [state, after, limit]);
    },
    write: ({ many }, changes) =>
      many(
        'UPDATE push_answer SET mask = $1, fates = $2 WHERE id = $3',
        Array.from(changes.all(), ({ answer: { id }, fates }) => [
          stateMask(fates.states),
          packFates(fates),
          id,
        ]),
      ),
  };
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

/** Takes the records of an answer that are still missing, of which it says something; a forgotten one is not found. */
function takeLast(answer: Answer, kind: number, missing: Set<string>, found: Map<string, FoundRecord>): void {
  const { entries, fates } = answer;
  for (let position = 0; position < entries.originIds.length; position += 1) {
    const state = fates.states[position];
    if (state === stateCodes.none || entries.kinds[position] !== kind) continue;
    const originId = entries.originIds[position] ?? '';
    if (missing.delete(originId) && state !== stateCodes.forgotten) found.set(originId, { answer, position });
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
