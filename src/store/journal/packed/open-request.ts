import type { JournalEntry, JournaledKind, KnownRecord, PushJournal, RequestId } from '../push-journal.ts';
import { PackedEntries } from './entry-codec.ts';

/** A request as it was begun. */
export interface BegunRequest {
  readonly kind: JournaledKind;
  readonly request: RequestId;
  readonly run: string | null;
  readonly entries: readonly JournalEntry[];
}

/** A request as stores keep it. */
export interface RequestRow {
  readonly id: RequestId;
  readonly run: string | null;
  readonly entries: Uint8Array;
}

export function begunRequest(kind: JournaledKind, { id, run, entries: blob }: RequestRow): BegunRequest {
  const packed = new PackedEntries(blob);
  const entries = Array.from({ length: packed.count }, (_, position) => packed.entryAt(position, kind));
  return { kind, request: id, run, entries };
}

/** The records of a request; an order that goes out with its items is not counted beside them. */
export function countRecords(entries: readonly JournalEntry[]): number {
  return entries.filter(({ kind }) => kind === undefined).length;
}

type Lookups = Pick<PushJournal, 'known' | 'itemsOf'>;

/** Lookups by which the records of requests that were never ended are unknown, as they would be after `recover`. */
export function lookupsWithOpen({ known, itemsOf }: Lookups, open: readonly BegunRequest[]): Lookups {
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
  open: readonly BegunRequest[],
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
