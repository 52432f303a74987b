import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createAtomically, makeFolder } from '../../base/atomic-file.ts';
import { Failure, messageOf, systemCodeOf } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { shellWord } from '../../base/shell-word.ts';
import { openHighWaterMarks } from './high-water-marks.ts';
import type { LedgerIdentity } from './ledger.ts';
import { makeLedgerFile } from './ledger-file.ts';
import { newMeta } from './ledger-meta.ts';
import type { LedgerStart } from './ledger-store.ts';
import { checkNoneInUse } from './missing-ledger.ts';
import { placeOf } from './this-place.ts';

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
    await createAtomically(path, (temporary) =>
      makeLedgerFile(temporary, () => newMeta(identity, start, placeOf(temporary))),
    );
    const { inode } = placeOf(path);
    const position = { seq: 0, seal: '', epoch: 0, path, inode, movedAtMs: clock.now() };
    marks.install({ ...identity, ...position, accounts, isRetired: false });
  } catch (error) {
    throw systemCodeOf(error) === 'EEXIST' ? isThere(path) : uncreatable(path, error);
  } finally {
    marks.close();
  }
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
