import { isThere } from '../../base/regular-file.ts';
import { backupLedger } from './backup-ledger.ts';
import { checkOwn, checkPlace } from './check-place.ts';
import { createLedger } from './create-ledger.ts';
import { readHighWaterMarks } from './high-water-marks.ts';
import { acceptLedger, moveLedger } from './install-ledger.ts';
import { openSqliteLedger } from './ledger-file.ts';
import type { SqliteLedgerLocation } from './ledger-location.ts';
import type { LedgerStore } from './ledger-store.ts';
import { checkNoneInUse } from './missing-ledger.ts';
import { groundOf, openAnyLedger, openLedger } from './open-ledger-file.ts';

/** A ledger in a SQLite file. No other user may be able to change it, or what belongs to it. */
export function sqliteLedgerStore(location: SqliteLedgerLocation): LedgerStore {
  const { path, ownFolder, marksPath } = location;
  return {
    exists: async () => isThere(path),
    open: async (expected) => {
      checkPlace(location, expected);
      return openLedger(path, { ...expected, marksPath });
    },
    openAny: async (expected) => {
      checkOwn(location);
      return openAnyLedger(path, { ...expected, marksPath });
    },
    openUnjudged: async (options) => {
      checkOwn(location);
      return openSqliteLedger(path, options);
    },
    create: async (start) => {
      checkPlace(location, start);
      return createLedger(path, { ...start, ownFolder, marksPath });
    },
    backup: async (file, options) => {
      checkOwn(location);
      return backupLedger(path, file, options);
    },
    accept: (ledger, { clock }) => acceptLedger(ledger, groundOf(path, { marksPath, clock })),
    move: (ledger, { clock }) => moveLedger(ledger, groundOf(path, { marksPath, clock })),
    marks: () => readHighWaterMarks(marksPath),
    checkNoneInUse: (subject) => checkNoneInUse(path, marksPath, subject),
  };
}
