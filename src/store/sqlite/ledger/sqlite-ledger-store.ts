import { existsSync } from 'node:fs';
import type { LedgerLocation } from '../../ledger/ledger-location.ts';
import type { LedgerStore } from '../../ledger/ledger-store.ts';
import { acceptLedger, moveLedger } from './accept-ledger.ts';
import { backupLedger } from './backup-ledger.ts';
import { checkNoneInUse, createLedger } from './create-ledger.ts';
import { readHighWaterMarks } from './high-water-marks.ts';
import { openAnyLedger, openLedger } from './open-ledger.ts';
import { openSqliteLedger } from './sqlite-ledger.ts';

/** A ledger in a SQLite file. */
export function sqliteLedgerStore({ path, ownFolder, marksPath }: LedgerLocation): LedgerStore {
  return {
    exists: async () => existsSync(path),
    open: (expected) => openLedger(path, { ...expected, marksPath }),
    openAny: (expected) => openAnyLedger(path, { ...expected, marksPath }),
    openUnjudged: (options) => openSqliteLedger(path, options),
    create: (start) => createLedger(path, { ...start, ownFolder, marksPath }),
    backup: (file, options) => backupLedger(path, file, options),
    accept: (ledger, { clock }) => acceptLedger(ledger, { path, marksPath, clock }),
    move: (ledger, { clock }) => moveLedger(ledger, { path, marksPath, clock }),
    marks: () => readHighWaterMarks(marksPath),
    checkNoneInUse: (subject) => checkNoneInUse(marksPath, subject),
  };
}
