import { packEntries } from '../../journal/packed/entry-codec.ts';
import { kindCodes } from '../../journal/packed/enum-codes.ts';
import { countRecords } from '../../journal/packed/open-request.ts';
import type { JournaledKind, PushJournal, RequestId } from '../../journal/push-journal.ts';
import { createEnd, type SentRequest } from './end-request.ts';
import { ignoreFailure, type OpenedRecords } from './open-records.ts';
import { type EndMark, OpenRequests } from './open-requests.ts';

/** Requests, from their begin to what is known of their entries. */
export interface Requests extends Pick<PushJournal, 'begin' | 'end' | 'recover'> {
  /** Marks up to where all have ended. */
  readonly markEnded: () => Promise<void>;
}

/** Kinds of which the service shows what it has: a request that is lost is found there. */
const shownKinds: ReadonlySet<JournaledKind> = new Set(['product', 'order-item-update']);

/** The entries of a request are written once, when it begins, and its answer once, when it ends. */
export function createRequests({ access, records, afterEnd }: OpenedRecords): Requests {
  const { database, commit, sync } = access;
  const insertRequest = database.prepare('INSERT INTO request (kind, run, entries) VALUES (?, ?, ?)');
  const openRequests = new OpenRequests(database);
  const endRequest = createEnd(database, records);
  const underWay = new Map<RequestId, SentRequest>();
  /** The last request that was answered, of the kinds of which no other process left one open. */
  const ended = new Map<JournaledKind, EndMark>();

  const end: Requests['end'] = async (kind, request, outcome) => {
    await records.load();
    const begun = underWay.get(request);
    if (begun === undefined) throw new Error(`request ${request} was not begun`);
    const answer = await commit.write(() => {
      records.sync();
      return endRequest(begun, outcome);
    });
    underWay.delete(request);
    const last = ended.get(kind);
    if (answer !== undefined && last !== undefined) {
      ended.set(kind, { request: Math.max(last.request, request), answer: Math.max(last.answer, answer) });
    }
    afterEnd();
  };

  return {
    markEnded: async () => {
      if (ended.size === 0) return;
      await commit.write(() => {
        const open = new Set(Array.from(underWay.values(), ({ kind }) => kind));
        for (const [kind, mark] of ended) if (!open.has(kind)) openRequests.mark(kind, mark);
      });
    },
    begin: async (kind, entries, run) => {
      const blob = packEntries(kind, entries);
      const request = await commit.write(() =>
        Number(insertRequest.run(kindCodes[kind], run ?? null, blob).lastInsertRowid),
      );
      underWay.set(request, { kind, request, entries });
      if (shownKinds.has(kind)) return request;
      await sync().catch(async (error: unknown) => {
        // It does not leave, so the next run must not take it for one that did.
        await end(kind, request, {}).catch(ignoreFailure);
        throw error;
      });
      return request;
    },
    end,
    recover: async (kind, isEnded) => {
      await records.load();
      return commit.write(() => {
        records.sync();
        const open = openRequests.list(kind, isEnded);
        for (const request of open) endRequest(request, { unknown: request.entries });
        if (isEnded === undefined) ended.set(kind, openRequests.markAll(kind));
        return open.reduce((sum, { entries }) => sum + countRecords(entries), 0);
      });
    },
  };
}
