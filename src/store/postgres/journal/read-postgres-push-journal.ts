import { journaledKinds } from '../../journal/packed/enum-codes.ts';
import { lookupsWithOpen } from '../../journal/packed/open-request.ts';
import type { PushJournal } from '../../journal/push-journal.ts';
import { emptyJournal, readingJournal } from '../../journal/reading-journal.ts';
import { createAnswers } from './answers.ts';
import { createHashes } from './hashes.ts';
import { createJobs } from './jobs.ts';
import { createJournalAccess, type JournalAccess, type PostgresJournalLocation } from './journal-access.ts';
import { findState } from './journal-schema.ts';
import { createItemsOf, createKnown } from './lookups.ts';
import { withSession } from './postgres-push-journal.ts';
import { openRequests } from './requests.ts';
import { SeenHashes } from './seen-hashes.ts';

/**
 * The journal of a state for reading alone; one that knows nothing where there is none. Records of requests that were
 * never ended are known as unknown, as they would be after `recover`. A write throws, because it would be a bug.
 * @throws as `openPostgresPushJournal`.
 */
export async function readPostgresPushJournal(location: PostgresJournalLocation): Promise<PushJournal> {
  return withSession(location, async (connection) => {
    const state = await findState(connection, location);
    if (state !== undefined) return read(createJournalAccess(location, connection, state));
    await connection.close();
    return emptyJournal();
  });
}

async function read(access: JournalAccess): Promise<PushJournal> {
  const answers = createAnswers(access);
  const open = await Promise.all(journaledKinds.map((kind) => openRequests(access.read, access, kind)));
  const parts = { access, answers, hashes: createHashes(access.state), seen: new SeenHashes() };
  const lookups = { known: createKnown(parts), itemsOf: createItemsOf(parts) };
  return readingJournal({
    ...lookupsWithOpen(lookups, open.flat()),
    jobs: createJobs(access, answers),
    close: access.close,
  });
}
