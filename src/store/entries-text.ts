import type { Acceptance, JournalEntry, JournaledKind } from './push-journal.ts';

/** An entry as the journal writes it; the last two are left out where it has neither. */
type Columns = readonly [
  originId: string,
  contentHash: string,
  jobId: string | null,
  productOriginId?: string | null,
  orderOriginId?: string | null,
  kind?: JournaledKind | null,
  objectId?: string | null,
];

/** Entries as the one JSON text in which they wait for the answer to their request. */
export function entriesText(entries: readonly JournalEntry[]): string {
  return JSON.stringify(entries.map((entry) => columnsOf({ entry })));
}

/** The same of those that were taken. */
export function acceptedText(accepted: readonly Acceptance[]): string {
  return JSON.stringify(accepted.map(columnsOf));
}

function columnsOf({ entry, jobId, objectId }: Acceptance): Columns {
  const { originId, contentHash, productOriginId, orderOriginId, kind } = entry;
  const columns = [
    originId,
    contentHash,
    jobId ?? null,
    productOriginId ?? null,
    orderOriginId ?? null,
  ] as const;
  return kind === undefined && objectId === undefined
    ? columns
    : [...columns, kind ?? null, objectId ?? null];
}

/** The entries that wait in a text which this or an older version wrote; those of an older one have fewer columns. */
export function entriesOf(text: string): JournalEntry[] {
  const entries: readonly Columns[] = JSON.parse(text);
  return entries.map(([originId, contentHash, , productOriginId, orderOriginId, kind]) => ({
    originId,
    contentHash,
    ...(productOriginId == null ? {} : { productOriginId }),
    ...(orderOriginId == null ? {} : { orderOriginId }),
    ...(kind == null ? {} : { kind }),
  }));
}
