import { dirname, join } from 'node:path';
import { makeFolder } from '../base/atomic-file.ts';
import type { CheckpointPlace, NamedCheckpoint } from './checkpoints/stored-checkpoint.ts';
import { checkpointFile, checkpointsIn } from './checkpoints/stored-checkpoint.ts';
import type { PushJournal, RunJournal } from './journal/push-journal.ts';
import type { JournalPlace } from './journal/tables.ts';
import type { LedgerLocation, PostgresLedgerLocation } from './ledger/ledger-location.ts';
import type { LedgerStore } from './ledger/ledger-store.ts';
import { createOwnerLocks, createRunLocks } from './locks/file-locks.ts';
import type { Locks } from './locks/locks.ts';
import { createSessionLocks, isLockHeld } from './locks/session-locks.ts';
import { type AccountNote, accountFile } from './state/account-note.ts';
import { beingMoved, moveLockName } from './state/moved-state.ts';
import { postgresAccount, postgresCheckpoint, postgresCheckpoints } from './state/postgres-notes.ts';
import { lockScope, type SqliteStateLocation, type StateLocation } from './state/state-location.ts';

/*
 * The only way to open a store: from its location to its port. A new kind of store is a new kind of location. The
 * adapters of journal and ledger are large, so they are loaded on use.
 */

/**
 * Opens the journal of pushes; creates it if missing.
 * @throws Failure('unreadable-path') if it cannot be used, or has another format.
 */
export async function openPushJournal(location: StateLocation): Promise<RunJournal> {
  return (await journals()).openJournal(journalPlace(location));
}

/** As `openPushJournal`; undefined if there is none. */
export async function openExistingPushJournal(location: StateLocation): Promise<RunJournal | undefined> {
  return (await journals()).findJournal(journalPlace(location));
}

/** As `openPushJournal`, for reading only. Never creates a journal; a missing one is empty. */
export async function readPushJournal(location: StateLocation): Promise<PushJournal> {
  return (await journals()).readJournal(journalPlace(location));
}

function journals() {
  return import('./journal/open-journal.ts');
}

/** The place of a state's journal. */
export function journalPlace(location: StateLocation): JournalPlace {
  return location.kind === 'postgres' ? location : { kind: 'sqlite', path: journalPath(location) };
}

/** The path of the journal in a folder. */
export function journalPath({ folder }: SqliteStateLocation): string {
  return join(folder, 'pushes.db');
}

export function checkpointPlace(location: StateLocation, list: string, name: string): CheckpointPlace {
  return location.kind === 'sqlite'
    ? checkpointFile(location.folder, list, name)
    : postgresCheckpoint(location, list, name);
}

/** All checkpoints of a state. */
export async function listCheckpoints(location: StateLocation): Promise<readonly NamedCheckpoint[]> {
  return location.kind === 'sqlite' ? checkpointsIn(location.folder) : postgresCheckpoints(location);
}

/** The account that a state belongs to. */
export function accountNote(location: StateLocation): AccountNote {
  return location.kind === 'sqlite' ? accountFile(location.folder) : postgresAccount(location);
}

export async function openLedgerStore(location: LedgerLocation): Promise<LedgerStore> {
  if (location.kind === 'postgres') return openPostgresStore(location);
  const { sqliteLedgerStore } = await import('./ledger/sqlite-ledger-store.ts');
  return sqliteLedgerStore(location);
}

async function openPostgresStore(location: PostgresLedgerLocation): Promise<LedgerStore> {
  const { postgresLedgerStore } = await import('./ledger/postgres-ledger-store.ts');
  return postgresLedgerStore(location, async (reader) => {
    if (await isLockHeld(reader, location, moveLockName)) throw beingMoved(location.path);
  });
}

/** Locks that keep runs with the same state from overlapping. */
export function stateLocks(location: StateLocation): Locks {
  return location.kind === 'postgres'
    ? createSessionLocks(location, lockScope(location))
    : createRunLocks(location.folder);
}

/**
 * Locks that keep runs with the same ledger and state folder from overlapping, under the `lockName` of the location.
 * Runs on several machines may settle with one ledger in a database at once.
 */
export function settleLocks(location: LedgerLocation): Locks {
  if (location.kind === 'sqlite') return createRunLocks(dirname(location.path));
  const { folder } = location;
  const locks = createRunLocks(folder);
  return {
    ...locks,
    acquire: async (name, activity) => {
      // The folder may be missing, since the ledger is in a database.
      makeFolder(folder, 'process');
      return locks.acquire(name, activity);
    },
  };
}

/** Locks that show which owners of claims in a ledger are alive, by the name of their run. */
export function ownerLocks(location: LedgerLocation): Locks {
  return location.kind === 'postgres'
    ? createSessionLocks(location)
    : createOwnerLocks(`${location.path}.owners`);
}
