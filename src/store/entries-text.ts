import type { AcceptedEntry, JournaledKind } from './push-journal.ts';

/** One entry as the journal writes it, without the last two where it has neither. */
type Columns = readonly [
  originId: string,
  contentHash: string,
  jobId?: string | null,
  productOriginId?: string | null,
  orderOriginId?: string | null,
  kind?: JournaledKind | null,
  objectId?: string | null,
];

/** Entries as the one JSON text in which they cross into SQLite and wait for the answer to their request. */
export function entriesText(entries: readonly AcceptedEntry[]): string {
  return JSON.stringify(entries.map(columnsOf));
}

function columnsOf(entry: AcceptedEntry): Columns {
  const { originId, contentHash, jobId, productOriginId, orderOriginId, kind, objectId } = entry;
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

/** The entries of a text that this or an older version wrote; those of an older one have fewer columns. */
export function entriesOf(text: string): AcceptedEntry[] {
  const entries: readonly Columns[] = JSON.parse(text);
  return entries.map(([originId, contentHash, jobId, productOriginId, orderOriginId, kind, objectId]) => ({
    originId,
    contentHash,
    ...(jobId == null ? {} : { jobId }),
    ...(productOriginId == null ? {} : { productOriginId }),
    ...(orderOriginId == null ? {} : { orderOriginId }),
    ...(kind == null ? {} : { kind }),
    ...(objectId == null ? {} : { objectId }),
  }));
}
