import type { Sql } from '../sql/sql.ts';
import { kindCodes, kindOf } from './codes.ts';
import { type Entries, unpackEntries } from './columns.ts';
import type { JournalEntry, JournaledKind, KnownRecord, PushJournal, RequestId } from './push-journal.ts';

/** A request as it was begun. */
export interface BegunRequest {
  readonly kind: JournaledKind;
  readonly request: RequestId;
  readonly run: string | null;
  readonly entries: readonly JournalEntry[];
  readonly columns: Entries;
}

export type SentEntries = Pick<BegunRequest, 'kind' | 'entries'>;

interface RequestRow {
  readonly id: bigint;
  readonly kind: bigint;
  readonly run: string | null;
  readonly entries: Uint8Array;
}

/** The requests that were begun and have not ended, of one kind or of all. */
export async function openRequests(
  query: Sql['read'],
  state: number,
  kind?: JournaledKind,
): Promise<readonly BegunRequest[]> {
  const code = kind === undefined ? 0 : kindCodes[kind];
  const rows = await query<RequestRow>(
    `SELECT push_request.id, push_request.kind, run, entries
     FROM push_open JOIN push_request ON push_request.id = push_open.id
     WHERE push_open.state = $1 AND (push_open.kind = $2 OR $2 = 0) ORDER BY push_open.id`,
    [state, code],
  );
  return rows.map(begunRequest);
}

function begunRequest({ id, kind: code, run, entries: packed }: RequestRow): BegunRequest {
  const columns = unpackEntries(packed);
  const { originIds, kinds, contentHashes, products, orders } = columns;
  const kind = kindOf(Number(code));
  const entries = originIds.map((originId, at) => {
    const [own, product, order] = [kindOf(kinds[at] ?? 0), products[at], orders[at]];
    return {
      originId,
      contentHash: contentHashes[at] ?? '',
      ...(own === kind ? {} : { kind: own }),
      ...(typeof product === 'string' ? { productOriginId: product } : {}),
      ...(typeof order === 'string' ? { orderOriginId: order } : {}),
    };
  });
  return { kind, request: Number(id), run, entries, columns };
}

/** The records of a request; an order that goes out with its items is not counted beside them. */
export function countRecords(entries: readonly JournalEntry[]): number {
  return entries.filter(({ kind }) => kind === undefined).length;
}

type Lookups = Pick<PushJournal, 'known' | 'itemsOf'>;

/** Lookups by which the records of requests that were never ended are unknown, as they would be after `recover`. */
export function lookupsWithOpen({ known, itemsOf }: Lookups, open: readonly SentEntries[]): Lookups {
  const underWay = recordsOf(open);
  return {
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
  };
}

function recordsOf(
  open: readonly SentEntries[],
): ReadonlyMap<JournaledKind, ReadonlyMap<string, KnownRecord>> {
  const byKind = new Map<JournaledKind, Map<string, KnownRecord>>();
  for (const { kind: ofRequest, entries } of open) {
    for (const { kind = ofRequest, originId, ...sent } of entries) {
      const records = byKind.get(kind) ?? new Map<string, KnownRecord>();
      byKind.set(kind, records.set(originId, { ...sent, fate: 'unknown', jobId: undefined }));
    }
  }
  return byKind;
}
