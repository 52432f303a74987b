import { existsSync } from 'node:fs';
import { streamOf } from '../../../base/lists.ts';
import type { JournaledKind, KnownRecord, PushJournal } from '../../journal/push-journal.ts';
import type { JournalAccess } from './access.ts';
import { journaledKinds } from './enum-codes.ts';
import { createItemsOfOrders } from './items-of-orders.ts';
import { createJobs } from './jobs.ts';
import { createKnown } from './known-records.ts';
import { openRecords } from './open-records.ts';
import { OpenRequests } from './open-requests.ts';
import type { RecordsOptions } from './records.ts';

/**
 * The journal at `path` for reading alone; one that knows nothing where there is no file. Records of requests that were
 * never ended are known as unknown, as they would be after `recover`. Nothing is written, but for what brings a file of
 * an older version up to date. A write throws, because it would be a bug.
 * @throws Failure('unreadable-path') as `openSqlitePushJournal`.
 */
export async function readPushJournal(path: string, options: RecordsOptions = {}): Promise<PushJournal> {
  const refuse = async () => {
    throw new Error('this journal was opened for reading');
  };
  const writes = {
    begin: refuse,
    end: refuse,
    endJobs: refuse,
    recover: refuse,
    unresolved: refuse,
    resolve: refuse,
  };
  if (!existsSync(path)) {
    const none = async () => new Map<never, never>();
    return { ...writes, known: none, itemsOf: none, jobs: () => streamOf([]), close: async () => undefined };
  }
  const { access, records, close } = await openRecords(path, { ...options, isReadOnly: true });
  const underWay = readOpenRequests(access);
  const known = createKnown(access, records);
  const itemsOf = createItemsOfOrders(access, records);
  return {
    ...writes,
    known: async (kind, originIds) => {
      const found = new Map(await known(kind, originIds));
      for (const originId of originIds) {
        const sent = underWay.get(kind)?.get(originId);
        if (sent !== undefined) found.set(originId, sent);
      }
      return found;
    },
    itemsOf: async (orderOriginIds) => {
      const items = new Map(
        [...(await itemsOf(orderOriginIds))].map(([order, ofOrder]) => [order, new Map(ofOrder)]),
      );
      const asked = new Set(orderOriginIds);
      for (const [originId, { orderOriginId = '', productOriginId }] of underWay.get('order-item') ?? []) {
        if (!asked.has(orderOriginId)) continue;
        items.set(orderOriginId, (items.get(orderOriginId) ?? new Map()).set(originId, productOriginId));
      }
      return items;
    },
    jobs: createJobs(access, records).jobs,
    close,
  };
}

/** The records of the requests that were begun and never ended; no more than one run has under way. */
function readOpenRequests({
  database,
  read,
}: JournalAccess): ReadonlyMap<JournaledKind, ReadonlyMap<string, KnownRecord>> {
  const openRequests = new OpenRequests(database);
  const byKind = new Map<JournaledKind, Map<string, KnownRecord>>();
  for (const { kind: ofRequest, entries } of read(() =>
    journaledKinds.flatMap((kind) => openRequests.list(kind)),
  )) {
    for (const { kind = ofRequest, originId, ...sent } of entries) {
      const records = byKind.get(kind) ?? new Map<string, KnownRecord>();
      byKind.set(kind, records.set(originId, { ...sent, fate: 'unknown', jobId: undefined }));
    }
  }
  return byKind;
}
