import { type Answer, type AnswerRow, answerOf, type FoundRecord } from '../../journal/packed/answer.ts';
import type { AnswerChanges } from '../../journal/packed/answer-changes.ts';
import { kindCodes, stateCodes } from '../../journal/packed/enum-codes.ts';
import { maskOf, packFates, stateMask } from '../../journal/packed/fate-codec.ts';
import type { JournaledKind } from '../../journal/push-journal.ts';
import type { Connection } from '../../sql/connection.ts';
import { keepIndex } from './answer-indexes.ts';
import { int4Array } from './binary-parameters.ts';
import type { JournalAccess } from './journal-access.ts';

type Ask = Connection['query'];

/** The answers in the tables. Rows that are to be changed are locked, always in the same order. */
export interface Answers {
  /**
   * Before so many hashes are looked for, outside of a transaction: makes their index where that costs less than to
   * read all answers each time.
   */
  expect(count: number): Promise<void>;
  /** Those that may hold something of these hashes, in the order in which they came. */
  find(ask: Ask, hashes: readonly number[]): Promise<readonly Answer[]>;
  /** Those that may hold items of orders with these hashes. */
  ofOrders(ask: Ask, hashes: readonly number[]): Promise<readonly Answer[]>;
  /** Whether nothing is on record. */
  isEmpty(): Promise<boolean>;
  /** As `find`, within a transaction that may change them. */
  findToChange(ask: Ask, hashes: readonly number[]): Promise<readonly Answer[]>;
  /** At most `limit` answers after `id` that hold one of the states of `mask`, in the order in which they came. */
  after(ask: Ask, wanted: WantedAnswers): Promise<readonly Answer[]>;
  /** Those that hold a record that is unknown, to be changed. */
  unknownAfter(ask: Ask, wanted: Omit<WantedAnswers, 'mask'>): Promise<readonly Answer[]>;
  /** One that holds nothing any more goes. */
  write(ask: Ask, changes: AnswerChanges): readonly Promise<unknown>[];
}

export interface WantedAnswers {
  readonly id: number;
  readonly mask: number;
  readonly limit: number;
}

interface StoredAnswer extends Omit<AnswerRow, 'id'> {
  readonly id: bigint;
}

const nothing = maskOf(stateCodes.none);

/** A first push looks for some that only seem to be there: so many hashes, in all, are found without an index. */
const expectedWithoutIndex = 100;

export function createAnswers(
  access: Pick<JournalAccess, 'schema' | 'state' | 'read' | 'openSession'>,
): Answers {
  const { schema, state, read: ownRead } = access;
  const index = keepIndex(access, 'hashes');
  let expected = 0;
  const select = `SELECT id, kind, run, entries, fates FROM ${schema}.push_answer WHERE state = $1`;
  // Never by the primary key: the index of hashes is the one that finds few.
  const having = (column: string) =>
    `SELECT id, kind, run, entries, fates FROM ${schema}.push_answer
     WHERE state + 0 = $1 AND ${column} && $2::integer[] ORDER BY id`;
  const read = async (rows: Promise<readonly StoredAnswer[]>) =>
    (await rows).map((row) => answerOf({ ...row, id: Number(row.id) }));
  return {
    expect: async (count) => {
      expected += count;
      if (expected > expectedWithoutIndex) await index();
    },
    find: (ask, hashes) => read(ask(having('hashes'), [state, int4Array(hashes)], 'find')),
    ofOrders: (ask, hashes) => read(ask(having('order_hashes'), [state, int4Array(hashes)])),
    findToChange: (ask, hashes) =>
      read(ask(`${having('hashes')} FOR UPDATE`, [state, int4Array(hashes)], 'find-to-change')),
    isEmpty: async () =>
      (await ownRead(`SELECT 1 FROM ${schema}.push_answer WHERE state = $1 LIMIT 1`, [state])).length === 0,
    after: (ask, { id, mask, limit }) =>
      read(
        ask(
          `${select} AND id > $2 AND mask & $3 <> 0 ORDER BY id LIMIT $4`,
          [state, id, mask, limit],
          'after',
        ),
      ),
    unknownAfter: (ask, { id, limit }) =>
      // Written as the index has it.
      read(
        ask(`${select} AND id > $2 AND mask & 4 <> 0 ORDER BY id LIMIT $3 FOR UPDATE`, [state, id, limit]),
      ),
    write: (ask, changes) =>
      Array.from(changes.all(), ({ answer: { id }, fates }) => {
        const mask = stateMask(fates.states);
        if (mask === nothing)
          return ask(`DELETE FROM ${schema}.push_answer WHERE state = $1 AND id = $2`, [state, id], 'forget');
        const update = `UPDATE ${schema}.push_answer SET mask = $3, fates = $4 WHERE state = $1 AND id = $2`;
        return ask(update, [state, id, mask, packFates(fates)], 'change');
      }),
  };
}

/** The records of one kind among these answers; where several name one, the last decides. */
export function findRecords(
  answers: readonly Answer[],
  kind: JournaledKind,
  originIds: Iterable<string>,
): ReadonlyMap<string, FoundRecord> {
  const found = new Map<string, FoundRecord>();
  if (answers.length === 0) return found;
  const asked = new Set(originIds);
  const code = kindCodes[kind];
  for (const answer of answers) {
    const { entries, fates } = answer;
    for (let position = 0; position < entries.count; position += 1) {
      if (entries.kindCodeAt(position) !== code || fates.stateAt(position) === stateCodes.none) continue;
      const originId = entries.originIdAt(position);
      if (asked.has(originId)) found.set(originId, { answer, position });
    }
  }
  return found;
}
