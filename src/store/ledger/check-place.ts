import { dirname } from 'node:path';
import { diskKind, type TypeOf } from '../../base/disk-kind.ts';
import { Failure } from '../../base/failure.ts';
import { requireOwn } from '../../base/path-exposure.ts';
import { callRecordsFolderOf, type SqliteLedgerLocation } from './ledger-location.ts';

/**
 * Checks that no other user except root can change or replace the ledger, or the files that decide with it: its log,
 * its marks, the locks of its owners and the call records of payers.
 * @throws Failure('ledger') with the command that fixes it.
 */
export function checkOwn({ path, named, marksPath }: SqliteLedgerLocation): void {
  const folders = [path, marksPath].map(dirname);
  const files = [path, marksPath].flatMap((file) => [file, `${file}-wal`, `${file}-shm`]);
  for (const part of [...folders, named, ...files, `${path}.owners`, callRecordsFolderOf(path)]) {
    requireOwn(part, 'ledger', 'decides what is paid');
  }
}

/**
 * As `checkOwn`, for a ledger that pays: its disk must also keep it whole across a restart.
 * @throws Failure('ledger') if the disk does not guarantee that, unless `isAnyDisk`.
 */
export function checkPlace(
  location: SqliteLedgerLocation,
  { isAnyDisk = false }: { readonly isAnyDisk?: boolean },
  typeOf?: TypeOf,
): void {
  checkOwn(location);
  const { path } = location;
  const disk = isAnyDisk ? undefined : diskKind(path, typeOf);
  if (disk === undefined) return;
  const danger =
    disk.kind === 'ephemeral'
      ? 'if it is lost, the rewards that it paid would be paid again'
      : 'there, two machines may pay from it at once, and SQLite may damage it';
  throw new Failure(
    'ledger',
    `the ledger ${path} is ${disk.words}; ${danger}`,
    'keep it on a disk of this machine, or on a block volume of a container: -c ledger=FILE, or REVIEWCTL_STATE_DIR; ' +
      'to accept it there, add -c ledger-anywhere=true',
  );
}
