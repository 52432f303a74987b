import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Sql } from '../sql/sql.ts';
import { HashIndex } from './hash-index.ts';
import type { JournalTables } from './tables.ts';

/**
 * Finds the numbers of answers after one, newest first, that may contain one of these hashes. A server is queried by
 * `query`: a transaction that waits for another session would be ended.
 */
export type FindIds = (hashes: Int32Array, after: number, query: Sql['read']) => Promise<readonly number[]>;

interface HashesRow {
  readonly answer: bigint;
  readonly hashes: Uint8Array;
}

/** Finds answers up to `last`; without it, all existing ones. */
export function createFindIds(tables: JournalTables, last = Number.MAX_SAFE_INTEGER): FindIds {
  return tables.sql.dialect.name === 'postgres' ? findByIndex(tables, last) : findInFile(tables, last);
}

/**
 * Forces the index of hashes: any other index would compare every row with all wanted hashes. The rows are therefore
 * sorted by this program.
 */
export const selectByIndex = `SELECT answer FROM push_hashes
  WHERE hashes && $1::integer[] AND state + 0 = $2 AND answer + 0 > $3 AND answer + 0 <= $4`;

/** Queries a server, which keeps an index, instead of reading its hashes over the network. */
function findByIndex({ sql, state }: JournalTables, last: number): FindIds {
  return async (hashes, after, query) => {
    if (hashes.length === 0) return [];
    const packed = sql.dialect.packIntegers(hashes);
    const rows = await query<HashesRow>(selectByIndex, [packed, state, after, last]);
    return rows.map(({ answer }) => Number(answer)).toSorted((one, other) => other - one);
  };
}

/** Questions, and ids in total, that are answered by reading the file. Beyond that, more are likely to follow. */
const questionsByReading = 4;
const idsByReading = 1000;

/**
 * The first questions, if about few ids, read all hashes of a file: some 0.05 s per million records. Later ones use an
 * index in memory, and read only new hashes.
 */
function findInFile(tables: JournalTables, last: number): FindIds {
  let index: HashIndex | undefined;
  let questions = 0;
  let ids = 0;
  let through = 0;
  let turn: Promise<unknown> = Promise.resolve();
  const readNew = async () => {
    const known = index ?? new HashIndex();
    index = known;
    await readHashes(tables, { after: through, last }, (hashes, answer) => {
      through = answer;
      for (const hash of hashes) known.add(hash, answer);
    });
    return known;
  };
  return async (hashes, after) => {
    questions += 1;
    ids += hashes.length;
    if (questions <= questionsByReading && ids < idsByReading)
      return findByReading(tables, hashes, { after, last });
    const reading = turn.then(readNew);
    turn = reading.catch(() => undefined);
    const known = await reading;
    const found = new Set<number>();
    for (const hash of hashes) known.find(hash, found);
    return [...found].filter((answer) => answer > after).toSorted((one, other) => other - one);
  };
}

async function findByReading(
  tables: JournalTables,
  wanted: Int32Array,
  range: AnswerRange,
): Promise<readonly number[]> {
  const found: number[] = [];
  const all = new Set(wanted);
  // The last 16 bits rule out most hashes.
  const endings = new Uint8Array(2 ** 16);
  for (const hash of wanted) endings[hash & 0xffff] = 1;
  await readHashes(tables, range, (hashes, answer) => {
    for (const hash of hashes) {
      if (endings[hash & 0xffff] === 0 || !all.has(hash)) continue;
      found.push(answer);
      return;
    }
  });
  return found.reverse();
}

/** Rows of hashes read in one turn of the event loop, some 200,000 records. */
const rowsPerTurn = 2000;

interface AnswerRange {
  readonly after: number;
  readonly last: number;
}

/** Visits the hashes of answers, in order. */
async function readHashes(
  { sql }: JournalTables,
  { after, last }: AnswerRange,
  visit: (hashes: Int32Array, answer: number) => void,
): Promise<void> {
  const select = `SELECT answer, hashes FROM push_hashes
    WHERE answer > $1 AND answer <= $2 ORDER BY answer LIMIT ${rowsPerTurn}`;
  for (let through = after; through < last; ) {
    const rows = await sql.read<HashesRow>(select, [through, last]);
    for (const { answer, hashes } of rows) {
      through = Number(answer);
      visit(integersOf(hashes), through);
    }
    if (rows.length < rowsPerTurn) return;
    await nextTurn();
  }
}

function integersOf({ buffer, byteOffset, byteLength }: Uint8Array): Int32Array {
  return byteOffset % 4 === 0
    ? new Int32Array(buffer, byteOffset, byteLength / 4)
    : new Int32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}
