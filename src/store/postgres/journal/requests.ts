import { kindCodes } from '../../journal/packed/enum-codes.ts';
import { begunRequest, countRecords, type RequestRow } from '../../journal/packed/open-request.ts';
import type { JournaledKind, PushJournal, RequestId } from '../../journal/push-journal.ts';
import type { Connection } from '../../sql/connection.ts';
import { createBegins } from './begin-requests.ts';
import { createEnds, type EndParts, supersede, takeEarlier, writeEnds } from './end-requests.ts';
import type { Hashes } from './hashes.ts';
import type { JournalAccess } from './journal-access.ts';
import { packEnd, type SentRequest } from './pack-end.ts';

/** Requests, from their begin to what is known of their entries. */
export interface Requests extends Pick<PushJournal, 'begin' | 'end' | 'recover'> {
  /** Resolves when all that was asked for is written. */
  readonly idle: () => Promise<void>;
}

export function createRequests(parts: EndParts, hashes: Hashes): Requests {
  const { access, answers, seen } = parts;
  const begins = createBegins(access);
  const ends = createEnds(parts);
  const underWay = new Map<RequestId, SentRequest>();
  return {
    begin: async (kind, entries, run) => {
      const sent = await begins.begin(kind, entries, run ?? null);
      underWay.set(sent.request, sent);
      return sent.request;
    },
    end: async (_kind, request, outcome) => {
      const sent = underWay.get(request);
      if (sent === undefined) throw new Error(`request ${request} was not begun`);
      await ends.end({ request, answer: packEnd(sent, outcome, hashes) });
      underWay.delete(request);
    },
    recover: async (kind, isEnded = () => true) => {
      const isFirst = await answers.isEmpty();
      if (!isFirst) await answers.expect(Number.POSITIVE_INFINITY);
      const count = await access.write(async (connection) => {
        const open = await openRequests(connection.query, access, kind);
        const lost = open.filter(({ run }) => isEnded(run));
        // One by one, since several of them may have the same record.
        for (const sent of lost) {
          const ended = [{ request: sent.request, answer: packEnd(sent, { unknown: sent.entries }, hashes) }];
          await supersede(connection, answers, { ended, earlier: takeEarlier(seen, ended) });
          await writeEnds(connection, parts, ended);
        }
        return lost.reduce((sum, { entries }) => sum + countRecords(entries), 0);
      });
      if (isFirst && count === 0) seen.startEmpty(kind);
      return count;
    },
    idle: async () => {
      await begins.idle();
      await ends.idle();
    },
  };
}

/** The requests of a kind that were begun and have not ended. */
export async function openRequests(
  ask: Connection['query'],
  { schema, state }: Pick<JournalAccess, 'schema' | 'state'>,
  kind: JournaledKind,
): Promise<readonly SentRequest[]> {
  const rows = await ask<Omit<RequestRow, 'id'> & { readonly id: bigint }>(
    `SELECT id, run, entries FROM ${schema}.push_request WHERE state = $1 AND kind = $2 ORDER BY id`,
    [state, kindCodes[kind]],
  );
  return rows.map((row) => ({
    ...begunRequest(kind, { ...row, id: Number(row.id) }),
    packed: row.entries,
  }));
}
