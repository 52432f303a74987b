import { setImmediate as nextTurn } from 'node:timers/promises';
import { HashIndex } from './hash-index.ts';
import type { JournalTables } from './tables.ts';

/** The numbers of answers after one, the newest first. */
export type FindIds = (hashes: Int32Array, after: number) => Promise<readonly number[]>;

interface HashesRow {
  readonly answer: bigint;
  readonly hashes: Uint8Array;
}

export function createFindIds(tables: JournalTables): FindIds {
  return tables.sql.dialect.name === 'postgres' ? findByIndex(tables) : findInMemory(tables);
}

/** A server is asked: it keeps an index, and what it has is not read over a network. */
function findByIndex({ sql, state }: JournalTables): FindIds {
  // By no other index, which would find more.
  const select = `SELECT answer FROM push_hashes
    WHERE hashes && $1::integer[] AND state + 0 = $2 AND answer + 0 > $3 ORDER BY answer DESC`;
  return async (hashes, after) => {
    if (hashes.length === 0) return [];
    const rows = await sql.read<HashesRow>(select, [sql.dialect.packIntegers(hashes), state, after]);
    return rows.map(({ answer }) => Number(answer));
  };
}

/** Rows of hashes, some 200,000 records, that are read in one turn of the event loop. */
const rowsPerTurn = 2000;

/** A file is read whole once, and what was added since with each question. */
function findInMemory({ sql }: JournalTables): FindIds {
  const index = new HashIndex();
  let through = 0;
  let last: Promise<void> = Promise.resolve();
  const select = `SELECT answer, hashes FROM push_hashes WHERE answer > $1 ORDER BY answer LIMIT ${rowsPerTurn}`;

  async function readNew(): Promise<void> {
    for (;;) {
      const rows = await sql.read<HashesRow>(select, [through]);
      for (const { answer, hashes } of rows) {
        through = Number(answer);
        for (const hash of integersOf(hashes)) index.add(hash, through);
      }
      if (rows.length < rowsPerTurn) return;
      await nextTurn();
    }
  }

  return async (hashes, after) => {
    const reading = last.then(readNew);
    last = reading.catch(() => undefined);
    await reading;
    const found = new Set<number>();
    for (const hash of hashes) index.find(hash, found);
    return [...found].filter((answer) => answer > after).toSorted((one, other) => other - one);
  };
}

function integersOf({ buffer, byteOffset, byteLength }: Uint8Array): Int32Array {
  return byteOffset % 4 === 0
    ? new Int32Array(buffer, byteOffset, byteLength / 4)
    : new Int32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}
