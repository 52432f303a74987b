import { dirname } from 'node:path';
import { makeFolder } from '../../base/atomic-file.ts';
import { diskFull } from '../../base/disk-full.ts';
import { Failure, messageOf } from '../../base/failure.ts';
import { isThere } from '../../base/regular-file.ts';
import {
  type Database,
  isBusy,
  isDamage,
  isDiskFull,
  openDatabase,
  readPragma,
  transaction,
} from '../../base/sqlite.ts';
import { areOfOneAccount, type HighWaterMark, type HighWaterMarks } from './high-water-mark.ts';

/** The format of the tables below. A file of any other format is refused, never changed. */
const format = 2;

/**
 * Reads all marks in the file at `path`. Returns none if the file does not exist, and does not create it.
 * @throws Failure('unwritable-path') if it cannot be used, Failure('ledger') if it is damaged.
 */
export async function readHighWaterMarks(path: string): Promise<readonly HighWaterMark[]> {
  if (!isThere(path)) return [];
  const marks = await openHighWaterMarks(path);
  try {
    return marks.all();
  } finally {
    marks.close();
  }
}

/**
 * Opens the marks in the file at `path`. Creates the file and its folder if missing.
 * @throws as `readHighWaterMarks`, and so do its methods; also Failure('ledger') for another format.
 */
export async function openHighWaterMarks(path: string): Promise<HighWaterMarks> {
  let database: Database | undefined;
  try {
    makeFolder(dirname(path), 'process');
    const opened = await openDatabase(path, { durability: 'process' });
    database = opened;
    // Takes the write lock first: two processes may find the same new file.
    const found = transaction(opened, () => formatOf(opened));
    if (found === format) return createHighWaterMarks(path, opened);
    throw new Failure(
      'ledger',
      `${path}, which records how far each ledger goes, has format ${found}; this version reads only format ${format}`,
      'use the version of reviewctl that wrote it; remove this file only if you are sure that no newer ledger ' +
        'exists',
    );
  } catch (error) {
    database?.close();
    throw unusable(path, error);
  }
}

/** Reads the format of the file; creates the tables in a new one. */
function formatOf(database: Database): number {
  const version = Number(readPragma(database, 'user_version'));
  const { count } = database.prepare('SELECT count(*) AS count FROM sqlite_schema').get();
  if (version > 0 || count > 0) return version;
  database.exec(
    `PRAGMA user_version = ${format};
    CREATE TABLE mark (
      ledger_id TEXT PRIMARY KEY,
      origin TEXT NOT NULL,
      shop TEXT NOT NULL,
      path TEXT NOT NULL,
      inode TEXT,
      seq INTEGER NOT NULL,
      seal TEXT NOT NULL,
      epoch INTEGER NOT NULL,
      moved_at_ms INTEGER NOT NULL,
      is_retired INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE account (
      account TEXT NOT NULL,
      ledger_id TEXT NOT NULL,
      PRIMARY KEY (account, ledger_id)
    ) STRICT, WITHOUT ROWID;`,
  );
  return format;
}

function createHighWaterMarks(path: string, database: Database): HighWaterMarks {
  const select = database.prepare(
    `SELECT ledger_id AS ledgerId, origin, shop, path, inode, seq, seal, epoch, moved_at_ms AS movedAtMs,
       is_retired AS isRetired,
       (SELECT json_group_array(account) FROM account WHERE account.ledger_id = mark.ledger_id) AS accounts
     FROM mark WHERE ledger_id = coalesce(?, ledger_id) ORDER BY ledger_id`,
  );
  const insert = database.prepare('INSERT OR IGNORE INTO mark VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const addAccount = database.prepare('INSERT OR IGNORE INTO account (account, ledger_id) VALUES (?, ?)');
  const remove = database.prepare('DELETE FROM mark WHERE ledger_id = ?');
  const retire = database.prepare('UPDATE mark SET is_retired = 1 WHERE ledger_id = ?');
  const advance = database.prepare(
    `UPDATE mark SET seq = ?, seal = ?, epoch = ?, path = ?, inode = ?, moved_at_ms = ?
     WHERE ledger_id = ? AND seq = ? AND seal = ? AND epoch = ? AND inode IS ? AND is_retired = 0`,
  );
  const read = (ledgerId: string | null) => {
    const rows: readonly MarkRow[] = select.all(ledgerId);
    return rows.map((row): HighWaterMark => {
      const accounts = JSON.parse(row.accounts) as readonly string[];
      return { ...row, isRetired: row.isRetired === 1, accounts };
    });
  };
  const put = ({ ledgerId, origin, shop, accounts, ...mark }: HighWaterMark) => {
    const { path: file, inode, seq, seal, epoch, movedAtMs, isRetired } = mark;
    insert.run(ledgerId, origin, shop, file, inode, seq, seal, epoch, movedAtMs, isRetired ? 1 : 0);
    for (const account of accounts) addAccount.run(account, ledgerId);
  };
  const changing = (work: () => void) => guarded(path, () => transaction(database, work));
  return {
    all: () => guarded(path, () => read(null)),
    find: (ledgerId) => guarded(path, () => read(ledgerId)[0]),
    add: (mark) => changing(() => put(mark)),
    move: ({ ledgerId, seq, seal, epoch, inode }, to) =>
      guarded(path, () => {
        const values = [to.seq, to.seal, to.epoch, to.path, to.inode, to.movedAtMs];
        return advance.run(...values, ledgerId, seq, seal, epoch, inode).changes === 1;
      }),
    install: (mark) =>
      changing(() => {
        for (const other of read(null)) if (areOfOneAccount(mark, other)) retire.run(other.ledgerId);
        remove.run(mark.ledgerId);
        put(mark);
      }),
    close: () => database.close(),
  };
}

interface MarkRow extends Omit<HighWaterMark, 'isRetired' | 'accounts'> {
  readonly isRetired: number;
  readonly accounts: string;
}

function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw unusable(path, error);
  }
}

function unusable(path: string, error: unknown): Failure {
  if (error instanceof Failure && (error.kind === 'locked' || error.kind === 'ledger')) return error;
  if (isBusy(error)) {
    return new Failure('locked', `other processes keep ${path} busy`, 'run the same command again', {
      cause: error,
    });
  }
  if (error instanceof Failure && isDiskFull(error.cause, path)) return error;
  if (isDiskFull(error, path)) return diskFull(path, error);
  const isOfContent = isDamage(error instanceof Failure ? error.cause : error);
  return new Failure(
    isOfContent ? 'ledger' : 'unwritable-path',
    `${path}, which records how far each ledger goes, cannot be used: ${messageOf(error)}`,
    'check that its disk has free space and that you may write to it; remove this file only if you are sure that ' +
      'no newer ledger exists',
    { cause: error },
  );
}
