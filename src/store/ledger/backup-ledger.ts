import { closeSync, openSync } from 'node:fs';
import { createAtomically } from '../../base/atomic-file.ts';
import type { Clock } from '../../base/clock.ts';
import { Failure, messageOf, systemCodeOf } from '../../base/failure.ts';
import { writeAlone } from '../sql/sqlite.ts';
import { checkStructure, openLedgerFile } from './ledger-file.ts';
import { readMeta, writeMeta } from './ledger-meta.ts';
import { deleteLacking } from './ledger-notes.ts';

/** As `LedgerStore.backup`. */
export async function backupLedger(
  path: string,
  file: string,
  { clock }: { readonly clock: Clock },
): Promise<void> {
  const sql = await openLedgerFile(path, clock);
  try {
    await checkStructure(path, sql.read);
    await createAtomically(file, async (temporary) => {
      // Created beforehand: SQLite would make it readable by other users.
      closeSync(openSync(temporary, 'wx', 0o600));
      await sql.read('VACUUM INTO $1', [temporary]);
      await freezeCopy(temporary, clock.now());
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
    await sql.close();
  }
}

function freezeCopy(path: string, atMs: number): Promise<void> {
  return writeAlone(path, async (tx) => {
    const before = await readMeta(tx);
    const restoration = { atMs, acceptedAtMs: null, comparedAtMs: null, lostEvents: null };
    const frozen = before.frozen ?? `restored from a backup of ${new Date(atMs).toISOString()}`;
    await writeMeta(tx, { ...before, place: null, restoration, frozen });
    await tx.query(deleteLacking);
  });
}
