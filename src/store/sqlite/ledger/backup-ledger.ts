import { closeSync, openSync } from 'node:fs';
import { createAtomically } from '../../../base/atomic-file.ts';
import type { Clock } from '../../../base/clock.ts';
import { Failure, messageOf, systemCodeOf } from '../../../base/failure.ts';
import { openDatabase, transaction } from '../../../base/sqlite.ts';
import { checkStructure, leaveWalMode, onLedger, openLedgerFile } from './ledger-file.ts';
import { forgetRestoration } from './sqlite-custody.ts';

/** As `LedgerStore.backup`. */
export async function backupLedger(
  path: string,
  file: string,
  { clock }: { readonly clock: Clock },
): Promise<void> {
  const database = await openLedgerFile(path);
  try {
    await onLedger(path, () => checkStructure(path, database));
    await createAtomically(file, async (temporary) => {
      // Created beforehand, since SQLite would let other users read it.
      closeSync(openSync(temporary, 'wx', 0o600));
      database.prepare('VACUUM INTO ?').run(temporary);
      await freezeCopy(temporary, new Date(clock.now()));
    });
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw systemCodeOf(error) === 'EEXIST'
      ? new Failure('usage', `${file} exists already`, 'nothing was written; name a new file')
      : new Failure(
          'unwritable-path',
          `the backup ${file} cannot be written: ${messageOf(error)}`,
          'nothing was written; name a new file in a folder you may write to, on a disk with room',
          { cause: error },
        );
  } finally {
    database.close();
  }
}

async function freezeCopy(path: string, time: Date): Promise<void> {
  const copy = await openDatabase(path, { durability: 'power' });
  try {
    transaction(copy, () => {
      copy.exec("DELETE FROM meta WHERE name IN ('host', 'inode')");
      forgetRestoration(copy);
      const put = copy.prepare('INSERT OR IGNORE INTO meta (name, value) VALUES (?, ?)');
      put.run('restoredAtMs', String(time.getTime()));
      put.run('frozen', `restored from a backup of ${time.toISOString()}`);
    });
    leaveWalMode(copy);
  } finally {
    copy.close();
  }
}
