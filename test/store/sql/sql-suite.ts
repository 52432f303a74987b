import { describe, expect, onTestFinished, test } from 'vitest';
import { type Durability, type Sql, type SqlValue, textsIn } from '../../../src/store/sql/sql.ts';

/** Each call reopens the same database, as another process would. */
export type OpenSql = (durability?: Durability) => Promise<Sql>;

interface NumberRow {
  readonly value: bigint;
}

/** The contract of `Sql`; `place` makes a new database for each test. */
export function describeSql(name: string, place: () => OpenSql): void {
  /** Open until the test ends, with a table of numbers. */
  const withNumbers = async () => {
    const open = place();
    const sql = await openUntilEnd(open);
    await sql.make((transaction) =>
      transaction.exec(
        `CREATE TABLE number (value ${sql.dialect.integer} PRIMARY KEY) ${sql.dialect.tableEnd}`,
      ),
    );
    return { sql, open: () => openUntilEnd(open) };
  };
  describe(name, () => {
    promiseValues(() => openUntilEnd(place()));
    promiseWrites(withNumbers);
    promiseOrder(withNumbers);
    promiseWords(() => openUntilEnd(place()));
  });
}

async function openUntilEnd(open: OpenSql): Promise<Sql> {
  const sql = await open();
  onTestFinished(() => sql.close());
  return sql;
}

const insert = 'INSERT INTO number VALUES ($1)';

async function numbersOf(sql: Pick<Sql, 'read'>): Promise<readonly number[]> {
  const rows = await sql.read<NumberRow>('SELECT value FROM number ORDER BY value');
  return rows.map(({ value }) => Number(value));
}

function promiseValues(open: () => Promise<Sql>): void {
  test('texts, bytes and 64-bit integers are kept exactly, and nothing as nothing', async () => {
    const sql = await open();
    const { text, integer, bytes, tableEnd } = sql.dialect;
    await sql.make(({ exec }) =>
      exec(`CREATE TABLE kept (a ${text}, b ${integer}, c ${bytes}, d ${text}) ${tableEnd}`),
    );
    const [name, large, blob] = [
      "O'Brien 상품 👩‍👩‍👧",
      9_223_372_036_854_775_807n,
      new Uint8Array([0, 1, 255]),
    ];
    await sql.write(({ many }) =>
      many('INSERT INTO kept VALUES ($1, $2, $3, $4)', [[name, large, blob, null]]),
    );
    const [row] = await sql.read<Record<string, SqlValue>>('SELECT * FROM kept WHERE a = $1', [name]);
    expect({ ...row, c: Array.from(row?.['c'] as Uint8Array) }).toEqual({
      a: name,
      b: large,
      c: [0, 1, 255],
      d: null,
    });
  });
}

type WithNumbers = () => Promise<{ readonly sql: Sql; readonly open: () => Promise<Sql> }>;

function promiseWrites(withNumbers: WithNumbers): void {
  test('what was written is seen by another process once the write resolves, and not before', async () => {
    const { sql, open } = await withNumbers();
    const other = await open();
    await sql.write(async ({ many }) => {
      await many(insert, [[1], [2]]);
      expect(await numbersOf(other)).toEqual([]);
      expect(await numbersOf(sql)).toEqual([]);
    });
    expect(await numbersOf(other)).toEqual([1, 2]);
  });

  test('a write that throws changes nothing, and the next one goes on', async () => {
    const { sql } = await withNumbers();
    const failing = sql.write(async ({ query }) => {
      await query(insert, [1]);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await sql.write(({ query }) => query(insert, [2]));
    expect(await numbersOf(sql)).toEqual([2]);
  });

  test('a statement that the database refuses rejects its write as a whole', async () => {
    const { sql } = await withNumbers();
    await expect(sql.write(({ many }) => many(insert, [[1], [1]]))).rejects.toThrow();
    expect(await numbersOf(sql)).toEqual([]);
  });

  test('a statement that comes after its write has ended is refused', async () => {
    const { sql } = await withNumbers();
    const over = [await sql.write(async (transaction) => transaction)];
    const undone = sql.write(async (transaction) => {
      over.push(transaction);
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    for (const { query, many, exec } of over) {
      await expect(query(insert, [1])).rejects.toThrow('has ended already');
      await expect(many(insert, [[2]])).rejects.toThrow('has ended already');
      await expect(exec('INSERT INTO number VALUES (3)')).rejects.toThrow('has ended already');
    }
    expect(over).toHaveLength(2);
    expect(await numbersOf(sql)).toEqual([]);
  });

  test('a query of a transaction sees what it wrote, and returns the rows it asks for', async () => {
    const { sql } = await withNumbers();
    const rows = await sql.write(async ({ many, query }) => {
      await many(insert, [[1], [2]]);
      return query<NumberRow>('UPDATE number SET value = value + 10 WHERE value > $1 RETURNING value', [1]);
    });
    expect(rows).toEqual([{ value: 12n }]);
  });
}

function promiseOrder(withNumbers: WithNumbers): void {
  test('writes are done one at a time, in the order in which they were asked for', async () => {
    const { sql } = await withNumbers();
    const course: string[] = [];
    await Promise.all(
      [1, 2, 3].map((value) =>
        sql.write(async ({ query }) => {
          course.push(`begin ${value}`);
          await query(insert, [value]);
          await new Promise(setImmediate);
          course.push(`end ${value}`);
        }),
      ),
    );
    expect(course).toEqual([1, 2, 3].flatMap((value) => [`begin ${value}`, `end ${value}`]));
  });

  test('processes that count up what they read under the lock of a row count every time', async () => {
    const { sql, open } = await withNumbers();
    await sql.write(({ query }) => query(insert, [0]));
    const select = `SELECT value FROM number ${sql.dialect.lockRows}`;
    const countUp = (one: Sql) =>
      one.write(async ({ query }) => {
        const [row] = await query<NumberRow>(select);
        await query('UPDATE number SET value = $1', [(row?.value ?? 0n) + 1n]);
      });
    const processes = [sql, await open(), await open()];
    await Promise.all(Array.from({ length: 30 }, (_, index) => countUp(processes[index % 3] ?? sql)));
    expect(await numbersOf(sql)).toEqual([30]);
  });

  test('processes that make tables at once make them one after the other', async () => {
    const { sql, open } = await withNumbers();
    const { text, tableEnd } = sql.dialect;
    const made = await Promise.all(
      [sql, await open(), await open()].map((one) =>
        one.make(async ({ exec, query }) => {
          await exec(`CREATE TABLE IF NOT EXISTS word (value ${text}) ${tableEnd}`);
          await query('INSERT INTO word VALUES ($1)', ['made']);
        }),
      ),
    );
    expect(made).toHaveLength(3);
    expect((await sql.tables()).filter((name) => !name.startsWith('sqlite_')).toSorted()).toEqual([
      'number',
      'word',
    ]);
    expect(await sql.read('SELECT value FROM word')).toHaveLength(3);
  });

  test('a snapshot shows one instant until it is closed, whatever is written meanwhile', async () => {
    const { sql } = await withNumbers();
    await sql.write(({ query }) => query(insert, [1]));
    const { query, close } = await sql.snapshot();
    expect(await query('SELECT value FROM number')).toEqual([{ value: 1n }]);
    await sql.write(({ query: write }) => write(insert, [2]));
    expect(await query('SELECT value FROM number')).toEqual([{ value: 1n }]);
    await close();
    expect(await numbersOf(sql)).toEqual([1, 2]);
  });

  test('close waits for the writes that were asked for', async () => {
    const { sql, open } = await withNumbers();
    const other = await open();
    const written = other.write(({ query }) => query(insert, [1]), 'power');
    await other.close();
    await written;
    expect(await numbersOf(sql)).toEqual([1]);
  });
}

function promiseWords(open: () => Promise<Sql>): void {
  test('lists, counted keys, compared texts and rows that never change are said in the words of the dialect', async () => {
    const sql = await open();
    const { counter, text, integers, tableEnd, packIntegers, lastCount, forbid } = sql.dialect;
    await sql.make(({ exec }) =>
      exec(`CREATE TABLE word (id ${counter}, value ${text} NOT NULL, numbers ${integers}) ${tableEnd};
        ${forbid('word', ['UPDATE', 'DELETE'])}`),
    );
    const words = ['b', 'B', 'a"', '상품'];
    const put = 'INSERT INTO word (value, numbers) VALUES ($1, $2) RETURNING id';
    const ids = await sql.write(async ({ query }) => {
      const rows = [];
      for (const word of words)
        rows.push(...(await query<{ readonly id: bigint }>(put, [word, packIntegers(Int32Array.of(-1, 7))])));
      return rows.map(({ id }) => id);
    });
    expect(ids).toEqual([1n, 2n, 3n, 4n]);
    const among = (list: string) => `SELECT value FROM word WHERE ${list} ORDER BY value`;
    const valuesOf = async (query: string, list: unknown) =>
      (await sql.read<{ readonly value: string }>(query, [JSON.stringify(list)])).map(({ value }) => value);
    expect(await valuesOf(among(`value IN ${textsIn(sql.dialect, '$1')}`), ['b', 'B', '상품', 'c'])).toEqual([
      'B',
      'b',
      '상품',
    ]);
    const last = await sql.write(async ({ query, many }) => {
      await many('INSERT INTO word (value) VALUES ($1)', [['c']]);
      return query<{ readonly last: bigint }>(`SELECT ${lastCount} AS last`);
    });
    expect(last).toEqual([{ last: 5n }]);
    for (const change of ["UPDATE word SET value = 'x'", 'DELETE FROM word'])
      await expect(sql.write(({ exec }) => exec(change))).rejects.toThrow(
        'rows of word are never changed or deleted',
      );
  });
}
