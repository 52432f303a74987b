import { kindCodes } from '../../journal/packed/enum-codes.ts';
import {
  type BegunRequest,
  begunRequest,
  countRecords,
  type RequestRow,
} from '../../journal/packed/open-request.ts';
import type { JournaledKind, PushJournal, RequestId } from '../../journal/push-journal.ts';
import type { Connection } from '../connection.ts';
import { createBegins } from './begin-requests.ts';
import { createEnds, type EndParts, packEnd, supersede, writeEnds } from './end-requests.ts';
import type { JournalAccess } from './journal-access.ts';

/** Requests, from their begin to what is known of their entries. */
export interface Requests extends Pick<PushJournal, 'begin' | 'end' | 'recover'> {
  /** Resolves when all that was asked for is written. */
  readonly idle: () => Promise<void>;
}

export function createRequests(parts: EndParts): Requests {
  const { access, answers, hashes } = parts;
  const begins = createBegins(access);
  const ends = createEnds(parts);
  const underWay = new Map<RequestId, BegunRequest>();
  return {
    begin: async (kind, entries, run) => {
      const sender = run ?? null;
      const request = await begins.begin(kind, entries, sender);
      underWay.set(request, { kind, request, run: sender, entries });
      return request;
    },
    end: async (_kind, request, outcome) => {
      const begun = underWay.get(request);
      if (begun === undefined) throw new Error(`request ${request} was not begun`);
      await ends.end(packEnd(begun, outcome, hashes));
      underWay.delete(request);
    },
    recover: (kind, isEnded = () => true) =>
      access.write(async (connection, defer) => {
        const open = await openRequests(connection.query, access, kind);
        const lost = open.filter(({ run }) => isEnded(run));
        let count = 0;
        // One by one, since several of them may have the same record.
        for (const begun of lost) {
          const end = packEnd(begun, { unknown: begun.entries }, hashes);
          const earlier = await answers.findToChange(connection.query, end.hashes);
          for (const writing of writeEnds(connection, parts, [end], supersede(earlier, [end])))
            defer(writing);
          count += countRecords(begun.entries);
        }
        return count;
      }),
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
): Promise<readonly BegunRequest[]> {
  const rows = await ask<Omit<RequestRow, 'id'> & { readonly id: bigint }>(
    `SELECT id, run, entries FROM ${schema}.push_request WHERE state = $1 AND kind = $2 ORDER BY id`,
    [state, kindCodes[kind]],
  );
  return rows.map((row) => begunRequest(kind, { ...row, id: Number(row.id) }));
}
