import { existsSync } from 'node:fs';
import { journaledKinds } from '../../journal/packed/enum-codes.ts';
import { lookupsWithOpen } from '../../journal/packed/open-request.ts';
import type { PushJournal } from '../../journal/push-journal.ts';
import { emptyJournal, readingJournal } from '../../journal/reading-journal.ts';
import { createItemsOfOrders } from './items-of-orders.ts';
import { createJobs } from './jobs.ts';
import { createKnown } from './known-records.ts';
import { openRecords } from './open-records.ts';
import { OpenRequests } from './open-requests.ts';
import type { RecordsOptions } from './records.ts';

/**
 * The journal at `path` for reading alone; one that knows nothing where there is no file. Records of requests that were
 * never ended are known as unknown, as they would be after `recover`. Nothing is written. A write
 * throws, because it would be a bug.
 * @throws Failure('unreadable-path') as `openSqlitePushJournal`.
 */
export async function readPushJournal(path: string, options: RecordsOptions = {}): Promise<PushJournal> {
  if (!existsSync(path)) return emptyJournal();
  const { access, records, close } = await openRecords(path, { ...options, isReadOnly: true });
  const openRequests = new OpenRequests(access.database);
  const open = access.read(() => journaledKinds.flatMap((kind) => openRequests.list(kind)));
  const lookups = { known: createKnown(access, records), itemsOf: createItemsOfOrders(access, records) };
  return readingJournal({
    ...lookupsWithOpen(lookups, open),
    jobs: createJobs(access, records).jobs,
    close,
  });
}
