import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createAtomically, makeFolder } from '../../../base/atomic-file.ts';
import { Failure, messageOf, systemCodeOf } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { shellWord } from '../../../base/shell-word.ts';
import { transaction } from '../../../base/sqlite.ts';
import { areOfOneAccount, type HighWaterMark } from '../../ledger/high-water-mark.ts';
import type { LedgerIdentity } from '../../ledger/ledger.ts';
import { completeCommand } from '../../ledger/ledger-failure.ts';
import type { LedgerStart } from '../../ledger/ledger-store.ts';
import { placeOf } from '../../ledger/this-place.ts';
import { placeText } from '../../sql/postgres-address.ts';
import { openHighWaterMarks, readHighWaterMarks } from './high-water-marks.ts';
import { leaveWalMode, makeLedgerFile } from './ledger-file.ts';
import { isLost, markWords } from './missing-ledger.ts';

interface LedgerFileStart extends LedgerStart {
  /** A folder that is made with the ledger. */
  readonly ownFolder?: string | undefined;
  /** The file that knows how far ledgers go, outside of them. */
  readonly marksPath: string;
}

/** As `LedgerStore.create`. */
export async function createLedger(path: string, start: LedgerFileStart): Promise<void> {
  const { origin, shop, account, ownFolder, marksPath, isReplacement = false, clock } = start;
  // SQLite would apply the log of a ledger that is gone to the new one.
  const there = [path, `${path}-wal`].find((file) => existsSync(file));
  if (there !== undefined) throw isThere(there);
  const accounts = account === undefined ? [] : [account];
  if (!isReplacement) await checkNoneInUse(path, marksPath, { origin, accounts });
  const identity: LedgerIdentity = { ledgerId: randomUUID(), origin, shop, createdAtMs: clock.now() };
  if (ownFolder !== undefined) makeOwnFolder(path, ownFolder);
  // First, so that no ledger is created whose mark cannot be kept.
  const marks = await openHighWaterMarks(marksPath);
  try {
    await createAtomically(path, (temporary) => writeLedger(temporary, identity, start));
    const { inode } = placeOf(path);
    const position = { seq: 0, seal: '', epoch: 0, path, inode, movedAtMs: clock.now() };
    marks.install({ ...identity, ...position, accounts, isRetired: false });
  } catch (error) {
    throw systemCodeOf(error) === 'EEXIST' ? isThere(path) : uncreatable(path, error);
  } finally {
    marks.close();
  }
}

/** As `LedgerStore.checkNoneInUse`, for a ledger that is to be made at `path`, where there is none. */
export async function checkNoneInUse(
  path: string,
  marksPath: string,
  subject: Pick<HighWaterMark, 'origin' | 'accounts'>,
): Promise<void> {
  const marks = await readHighWaterMarks(marksPath);
  const mark = marks.find((known) => !known.isRetired && areOfOneAccount(known, subject));
  if (mark !== undefined) throw inUse(path, subject, mark);
}

function makeOwnFolder(path: string, folder: string): void {
  try {
    makeFolder(folder, 'power');
  } catch (error) {
    throw uncreatable(path, error);
  }
}

function uncreatable(path: string, error: unknown): Failure {
  return new Failure(
    'unwritable-path',
    `the ledger ${path} cannot be created: ${messageOf(error)}`,
    'name a file in a folder you may write to, on a disk of this machine, with the setting ledger',
    { cause: error },
  );
}

function inUse(path: string, { origin }: Pick<HighWaterMark, 'origin'>, mark: HighWaterMark): Failure {
  const isGone = isLost(mark, path);
  const named = `use that one with ${placeText(mark.path)}`;
  const way = isGone
    ? 'restore it from a backup'
    : mark.origin === origin
      ? named
      : hint`${named}, after ${completeCommand(mark.path, origin)}`;
  const replace = isGone
    ? ' If it is lost for good, add --replace-lost, and list the rewards that it paid with --already-paid FILE.'
    : '';
  return new Failure(
    'ledger',
    `this account ${isGone ? 'had' : 'has'} a ledger for ${markWords(mark)}; no ledger was created`,
    hint`${way}; a new one would pay again every reward that only the old one records as paid.${replace} For a
      trial service, set REVIEWCTL_STATE_DIR to a separate folder, which has no record of what was sent or paid
      here`,
  );
}

function isThere(path: string): Failure {
  const file = shellWord(path);
  return new Failure(
    'ledger',
    `${path} exists already; nothing was changed`,
    path.endsWith('-wal')
      ? `it belongs to a ledger that is gone: restore that ledger; if it is lost for good, rm ${file}`
      : hint`inspect it with \`${reviewctl`ledger status -c ledger=${file}`}\`, or name another one: -c ledger=FILE`,
  );
}

async function writeLedger(
  path: string,
  identity: LedgerIdentity,
  { account, unfinishedImport }: Pick<LedgerStart, 'account' | 'unfinishedImport'>,
): Promise<void> {
  const database = await makeLedgerFile(path);
  try {
    transaction(database, () => {
      const put = database.prepare('INSERT INTO meta (name, value) VALUES (?, ?)');
      for (const [name, value] of Object.entries(identity)) put.run(name, String(value));
      const { host, inode } = placeOf(path);
      put.run('inode', inode);
      if (host !== null) put.run('host', host);
      if (unfinishedImport !== undefined) {
        put.run('frozen', unfinishedImport.reason);
        put.run('unfinishedImport', unfinishedImport.list);
      }
      if (account !== undefined) database.prepare('INSERT INTO account (account) VALUES (?)').run(account);
    });
    leaveWalMode(database);
  } finally {
    database.close();
  }
}
