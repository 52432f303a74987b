import type { RunJournal } from '../../journal/push-journal.ts';
import { type Connection, connect } from '../../sql/connection.ts';
import { createAnswers } from './answers.ts';
import { createHashes } from './hashes.ts';
import { createEndJobs, createJobs } from './jobs.ts';
import { createJournalAccess, type JournalAccess, type PostgresJournalLocation } from './journal-access.ts';
import { findState, makeState } from './journal-schema.ts';
import { createItemsOf, createKnown } from './lookups.ts';
import { createRequests } from './requests.ts';
import { createResolve } from './resolve.ts';
import { createRunLog } from './run-log.ts';
import { SeenHashes } from './seen-hashes.ts';

/**
 * The journal of a state in PostgreSQL, made where it is missing. A request is on the disk of the server before it
 * leaves; requests that begin or end at the same time share a transaction. Several processes may use one journal, each
 * under the lock of its kind and shard.
 * @throws Failure('unreadable-path') where it has another format; as `connect`.
 */
export async function openPostgresPushJournal(location: PostgresJournalLocation): Promise<RunJournal> {
  return withSession(location, async (connection) => {
    const access = createJournalAccess(location, connection, await makeState(connection, location));
    access.openToWrite();
    return createJournal(access);
  });
}

/** As `openPostgresPushJournal`; undefined where there is none. */
export async function openExistingPostgresPushJournal(
  location: PostgresJournalLocation,
): Promise<RunJournal | undefined> {
  return withSession(location, async (connection) => {
    const state = await findState(connection, location);
    if (state !== undefined) return createJournal(createJournalAccess(location, connection, state));
    await connection.close();
    return undefined;
  });
}

/** A session that `work` keeps; it is closed where that throws. */
export async function withSession<T>(
  location: PostgresJournalLocation,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await connect(location);
  try {
    return await work(connection);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function createJournal(access: JournalAccess): RunJournal {
  const parts = {
    access,
    answers: createAnswers(access),
    hashes: createHashes(access.state),
    seen: new SeenHashes(),
  };
  const runs = createRunLog(access);
  const { idle, ...requests } = createRequests(parts, parts.hashes);
  return {
    ...requests,
    known: createKnown(parts),
    itemsOf: createItemsOf(parts),
    jobs: createJobs(access, parts.answers),
    endJobs: createEndJobs(access, parts.answers, parts.hashes),
    ...createResolve(access, parts.answers, runs),
    runs,
    close: async () => {
      await idle();
      await access.close();
    },
  };
}
