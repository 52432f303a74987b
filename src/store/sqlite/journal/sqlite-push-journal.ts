import type { RunJournal } from '../../journal/push-journal.ts';
import { createItemsOfOrders } from './items-of-orders.ts';
import { createJobs } from './jobs.ts';
import { createKnown } from './known-records.ts';
import { ignoreFailure, openRecords } from './open-records.ts';
import type { RecordsOptions } from './records.ts';
import { createRequests } from './requests.ts';
import { createResolve } from './resolve.ts';
import { createSqliteRunLog } from './sqlite-run-log.ts';

/**
 * The journal in a SQLite file, made where it is missing. Writes survive the end of the process at any instant. A
 * request is a row when it begins and a row when it ends; the index by which its records are found follows later, at
 * the latest when the journal is closed.
 * @throws Failure('unreadable-path') where the file cannot be used, or has another format.
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
    ...createResolve(access, records),
    runs: createSqliteRunLog(access),
    close: async () => {
      await requests.markEnded().catch(ignoreFailure);
      await opened.close();
    },
  };
}
