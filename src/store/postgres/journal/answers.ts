import { type Answer, type AnswerRow, answerOf, type FoundRecord } from '../../journal/packed/answer.ts';
import type { AnswerChanges } from '../../journal/packed/answer-changes.ts';
import { kindCodes, stateCodes } from '../../journal/packed/enum-codes.ts';
import { maskOf, packFates, stateMask } from '../../journal/packed/fate-codec.ts';
import type { JournaledKind } from '../../journal/push-journal.ts';
import type { Connection } from '../connection.ts';
import { hashList } from './hashes.ts';
import type { JournalAccess } from './journal-access.ts';

type Ask = Connection['query'];

/** The answers in the tables. Rows that are to be changed are locked, always in the same order. */
export interface Answers {
  /** Those that may hold something of these hashes, in the order in which they came. */
  find(ask: Ask, hashes: Iterable<number>): Promise<readonly Answer[]>;
  /** As `find`, within a transaction that may change them. */
  findToChange(ask: Ask, hashes: Iterable<number>): Promise<readonly Answer[]>;
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

export function createAnswers({ schema, state }: Pick<JournalAccess, 'schema' | 'state'>): Answers {
  const select = `SELECT id, kind, run, entries, fates FROM ${schema}.push_answer WHERE state = $1`;
  const ofHashes = `${select} AND hashes && $2::integer[] ORDER BY id`;
  const read = async (rows: Promise<readonly StoredAnswer[]>) =>
    (await rows).map((row) => answerOf({ ...row, id: Number(row.id) }));
  return {
    find: (ask, hashes) => read(ask(ofHashes, [state, hashList(hashes)], 'find')),
    findToChange: (ask, hashes) =>
      read(ask(`${ofHashes} FOR UPDATE`, [state, hashList(hashes)], 'find-to-change')),
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
  originIds: ReadonlySet<string>,
): ReadonlyMap<string, FoundRecord> {
  const code = kindCodes[kind];
  const found = new Map<string, FoundRecord>();
  for (const answer of answers) {
    const { entries, fates } = answer;
    for (let position = 0; position < entries.count; position += 1) {
      if (entries.kindCodeAt(position) !== code || fates.stateAt(position) === stateCodes.none) continue;
      const originId = entries.originIdAt(position);
      if (originIds.has(originId)) found.set(originId, { answer, position });
    }
  }
  return found;
}
