import { join } from 'node:path';
import { createItemsOfOrders } from './journal/items-of-orders.ts';
import { createJobs } from './journal/jobs.ts';
import { createKnown } from './journal/known-records.ts';
import { ignoreFailure, openRecords } from './journal/open-records.ts';
import type { RecordsOptions } from './journal/records.ts';
import { createRequests } from './journal/requests.ts';
import { createResolve } from './journal/resolve.ts';
import type { RunJournal } from './push-journal.ts';
import { createSqliteRunLog } from './sqlite-run-log.ts';

/** The journal in the state folder of a profile at one service. */
export function journalPath(folder: string): string {
  return join(folder, 'pushes.db');
}

/**
 * The journal in a SQLite file, made where it is missing. Writes survive the end of the process at any instant. A request is a row when it
 * begins and a row when it ends; the index by which its records are found follows later, at the latest when the journal is closed.
 * @throws Failure('unreadable-path') where the file cannot be used, or has the format of a later version.
 */
export async function openSqlitePushJournal(path: string, options: RecordsOptions = {}): Promise<RunJournal> {
  const opened = await openRecords(path, options);
  const { access, records } = opened;
  const requests = createRequests(opened);
  return {
    ...requests,
    ...createJobs(access, records),
    known: createKnown(access, records),
    itemsOf: createItemsOfOrders(access, records),
    resolve: createResolve(access, records),
    runs: createSqliteRunLog(access),
    close: async () => {
      await requests.markEnded().catch(ignoreFailure);
      await opened.close();
    },
  };
}
