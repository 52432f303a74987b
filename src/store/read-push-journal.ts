import { existsSync } from 'node:fs';
import { streamOf } from '../base/lists.ts';
import { openDatabase } from '../base/sqlite.ts';
import { entriesOf } from './entries-text.ts';
import type { JournaledKind, KnownRecord, PushJournal } from './push-journal.ts';
import { openSqlitePushJournal } from './sqlite-push-journal.ts';

/**
 * The journal at `path` for reading alone; one that knows nothing where there is no file. Records of requests that were never
 * ended are known as unknown, as they would be after `recover`. A write throws, because it would be a bug.
 * @throws Failure('unreadable-path') as `openSqlitePushJournal`.
 */
export async function readPushJournal(path: string): Promise<PushJournal> {
  const refuse = async () => {
    throw new Error('this journal was opened for reading');
  };
  const writes = { begin: refuse, end: refuse, endJobs: refuse, recover: refuse, resolve: refuse };
  if (!existsSync(path)) {
    const none = async () => new Map<never, never>();
    return { ...writes, known: none, itemsOf: none, jobs: () => streamOf([]), close: async () => undefined };
  }
  const journal = await openSqlitePushJournal(path);
  const underWay = await readRequests(path);
  return {
    ...journal,
    ...writes,
    known: async (kind, originIds) => {
      const known = new Map(await journal.known(kind, originIds));
      for (const originId of originIds) {
        const sent = underWay.get(kind)?.get(originId);
        if (sent !== undefined) known.set(originId, sent);
      }
      return known;
    },
    itemsOf: async (orderOriginIds) => {
      const items = new Map(
        [...(await journal.itemsOf(orderOriginIds))].map(([order, ofOrder]) => [order, new Map(ofOrder)]),
      );
      const asked = new Set(orderOriginIds);
      for (const [originId, { orderOriginId = '', productOriginId }] of underWay.get('order-item') ?? []) {
        if (!asked.has(orderOriginId)) continue;
        items.set(orderOriginId, (items.get(orderOriginId) ?? new Map()).set(originId, productOriginId));
      }
      return items;
    },
  };
}

interface Request {
  readonly kind: JournaledKind;
  readonly entries: string;
}

/** The records of the requests that were begun and never ended; no more than one run has under way. */
async function readRequests(path: string): Promise<ReadonlyMap<JournaledKind, Map<string, KnownRecord>>> {
  const byKind = new Map<JournaledKind, Map<string, KnownRecord>>();
  const database = await openDatabase(path, { durability: 'process' });
  try {
    const requests = database.prepare('SELECT kind, entries FROM request').all() as unknown as Request[];
    for (const request of requests) {
      for (const { kind = request.kind, originId, ...sent } of entriesOf(request.entries)) {
        const records = byKind.get(kind) ?? new Map<string, KnownRecord>();
        byKind.set(kind, records);
        records.set(originId, { ...sent, fate: 'unknown', jobId: undefined });
      }
    }
    return byKind;
  } finally {
    database.close();
  }
}
