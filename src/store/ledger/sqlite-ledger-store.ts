import { existsSync } from 'node:fs';
import { createAtomically, makeFolder } from '../../base/atomic-file.ts';
import { Failure, messageOf, systemCodeOf } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { isThere } from '../../base/regular-file.ts';
import { shellWord } from '../../base/shell-word.ts';
import { backupLedger } from './backup-ledger.ts';
import { checkOwn, checkPlace } from './check-place.ts';
import { createLedgerStore } from './create-ledger-store.ts';
import type { LedgerMeta } from './ledger.ts';
import { makeLedgerFile, openSqliteLedger } from './ledger-file.ts';
import { checkLinks } from './ledger-links.ts';
import type { SqliteLedgerLocation } from './ledger-location.ts';
import type { LedgerStore } from './ledger-store.ts';
import { missingLedger } from './missing-ledger.ts';
import { placeOf } from './this-place.ts';

/** A ledger in a SQLite file. No other user may be able to change it or its related files. */
export function sqliteLedgerStore(location: SqliteLedgerLocation): LedgerStore {
  const { path, marksPath } = location;
  const store = createLedgerStore(location, {
    exists: async () => isThere(path),
    openThere: async (expected) => {
      checkOwn(location);
      if (!isThere(path)) throw await missingLedger(path, { ...expected, marksPath });
      checkLinks(path);
      const ledger = await openSqliteLedger(path, expected);
      return { ledger, place: placeOf(path) };
    },
    openUnjudged: async (options) => {
      checkOwn(location);
      return openSqliteLedger(path, options);
    },
    make: (meta) => makeFile(location, meta),
    backup: async (file, options) => {
      checkOwn(location);
      return backupLedger(path, file, options);
    },
    install: (_, work) => work(placeOf(path)),
  });
  return {
    ...store,
    open: async (expected) => {
      checkPlace(location, expected);
      return store.open(expected);
    },
    create: async (start) => {
      checkPlace(location, start);
      // SQLite would apply the log of a lost ledger to the new one.
      const there = [path, `${path}-wal`].find((file) => existsSync(file));
      if (there !== undefined) throw alreadyThere(there);
      return store.create(start);
    },
  };
}

async function makeFile({ path, ownFolder }: SqliteLedgerLocation, meta: LedgerMeta): Promise<string> {
  try {
    if (ownFolder !== undefined) makeFolder(ownFolder, 'power');
    await createAtomically(path, (temporary) =>
      makeLedgerFile(temporary, () => ({ ...meta, place: placeOf(temporary) })),
    );
    return placeOf(path).inode;
  } catch (error) {
    // A file in the place of the folder gives the same code.
    if (systemCodeOf(error) === 'EEXIST' && existsSync(path)) throw alreadyThere(path);
    throw new Failure(
      'unwritable-path',
      `the ledger ${path} cannot be created: ${messageOf(error)}`,
      'name a file in a folder you may write to, on a disk of this machine, with the setting ledger',
      { cause: error },
    );
  }
}

function alreadyThere(path: string): Failure {
  const file = shellWord(path);
  return new Failure(
    'ledger',
    `${path} exists already; nothing was changed`,
    path.endsWith('-wal')
      ? `it belongs to a ledger that is gone: restore that ledger; if it is lost for good, rm ${file}`
      : hint`inspect it with \`${reviewctl`ledger status -c ledger=${file}`}\`, or name another one: -c ledger=FILE`,
  );
}
