import { existsSync } from 'node:fs';
import { acceptLedger, moveLedger } from '../../ledger/install-ledger.ts';
import type { SqliteLedgerLocation } from '../../ledger/ledger-location.ts';
import type { LedgerStore } from '../../ledger/ledger-store.ts';
import { backupLedger } from './backup-ledger.ts';
import { checkNoneInUse, createLedger } from './create-ledger.ts';
import { readHighWaterMarks } from './high-water-marks.ts';
import { groundOf, openAnyLedger, openLedger } from './open-ledger.ts';
import { openSqliteLedger } from './sqlite-ledger.ts';

/** A ledger in a SQLite file. */
export function sqliteLedgerStore({ path, ownFolder, marksPath }: SqliteLedgerLocation): LedgerStore {
  return {
    exists: async () => existsSync(path),
    open: (expected) => openLedger(path, { ...expected, marksPath }),
    openAny: (expected) => openAnyLedger(path, { ...expected, marksPath }),
    openUnjudged: (options) => openSqliteLedger(path, options),
    create: (start) => createLedger(path, { ...start, ownFolder, marksPath }),
    backup: (file, options) => backupLedger(path, file, options),
    accept: (ledger, { clock }) => acceptLedger(ledger, groundOf(path, { marksPath, clock })),
    move: (ledger, { clock }) => moveLedger(ledger, groundOf(path, { marksPath, clock })),
    marks: () => readHighWaterMarks(marksPath),
    checkNoneInUse: (subject) => checkNoneInUse(marksPath, subject),
  };
}
