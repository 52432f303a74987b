import { closeSync, openSync } from 'node:fs';
import type { Clock } from '../base/clock.ts';
import { Failure, messageOf, systemCodeOf } from '../base/failure.ts';
import { type Database, openDatabase, transaction } from '../base/sqlite.ts';
import { checkStructure, leaveWalMode, onLedger, openLedgerFile } from './ledger-file.ts';
import { makeWhole } from './whole-file.ts';

/**
 * Copies the ledger at `path`, as it is at one instant and while others use it, to a new `file` for its owner alone, whole or not at
 * all. The copy is frozen, so that nobody pays by it without knowing that it is one.
 * @throws Failure('ledger') where the ledger is damaged; Failure('unwritable-path') where `file` cannot be written; Failure('usage') where it is there already.
 */
export async function backupLedger(
  path: string,
  file: string,
  { clock }: { readonly clock: Clock },
): Promise<void> {
  const database = await openLedgerFile(path);
  try {
    await onLedger(path, () => checkStructure(path, database));
    await makeWhole(file, async (temporary) => {
      // Made beforehand, since SQLite would let others read it.
      closeSync(openSync(temporary, 'wx', 0o600));
      database.prepare('VACUUM INTO ?').run(temporary);
      await freezeCopy(temporary, new Date(clock.now()));
    });
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw systemCodeOf(error) === 'EEXIST'
      ? new Failure('usage', `${file} is there already`, 'nothing was written; name a new file')
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
      const before = frozenReason(copy);
      const reason = `restored from a backup of ${time.toISOString()}${before === undefined ? '' : `, which was frozen: ${before}`}`;
      copy.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES ('frozen', ?)").run(reason);
    });
    leaveWalMode(copy);
  } finally {
    copy.close();
  }
}

function frozenReason(database: Database): string | undefined {
  const row = database.prepare("SELECT value FROM meta WHERE name = 'frozen'").get();
  return (row as { readonly value: string } | undefined)?.value;
}
