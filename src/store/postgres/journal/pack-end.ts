import { packEntries } from '../../journal/packed/entry-codec.ts';
import { kindCodes, stateCodes } from '../../journal/packed/enum-codes.ts';
import { type Fates, maskOf, packFates, stateMask } from '../../journal/packed/fate-codec.ts';
import type { BegunRequest } from '../../journal/packed/open-request.ts';
import { clearRepeated, type PlacedEnd, placeEnd } from '../../journal/packed/place-end.ts';
import type { JournaledKind, RequestEnd } from '../../journal/push-journal.ts';
import type { Hashes } from './hashes.ts';

/** A request as it was begun, with its entries as they were written. */
export interface SentRequest extends BegunRequest {
  readonly packed: Uint8Array;
}

/** What is known of the entries of a request, as it is written. */
export interface PackedAnswer {
  readonly kind: JournaledKind;
  readonly run: string | null;
  readonly mask: number;
  readonly entries: Uint8Array;
  /** Whether these are the entries as the request was begun with them. */
  readonly isAsBegun: boolean;
  readonly fates: Uint8Array;
  /** Of the records of which something is known now. */
  readonly hashes: readonly number[];
  /** Of the orders of their items. */
  readonly orderHashes: readonly number[];
  readonly placed: PlacedEnd;
}

/**
 * What is known after the end of a request; undefined where it had no effect.
 * @throws Error for an end that does not fit its request.
 */
export function packEnd(sent: SentRequest, end: RequestEnd, hashes: Hashes): PackedAnswer | undefined {
  const placed = placeEnd(sent.entries, end);
  const { entries, fates } = placed;
  const { kind, run } = sent;
  const found = hashesOf(kind, placed, hashes);
  const mask = stateMask(fates.states);
  if ((mask & ~maskOf(stateCodes.none)) === 0) return undefined;
  const isAsBegun = entries === sent.entries;
  return {
    kind,
    run,
    mask,
    entries: isAsBegun ? sent.packed : packEntries(kind, entries),
    isAsBegun,
    fates: packFates(fates),
    hashes: found,
    orderHashes: orderHashesOf(placed, hashes),
    placed,
  };
}

/** Of a record that a request names several times, its last entry decides. */
function hashesOf(kind: JournaledKind, { entries, fates }: PlacedEnd, hashes: Hashes): readonly number[] {
  const found = new Set<number>();
  for (let position = 0; position < entries.length; position += 1) {
    const entry = entries[position];
    if (entry === undefined || fates.states[position] === stateCodes.none) continue;
    const hash = hashes.ofRecord(entry.kind ?? kind, entry.originId);
    if (found.has(hash)) clearRepeated(entries, fates, position);
    found.add(hash);
  }
  return [...found];
}

function orderHashesOf({ entries, fates }: PlacedEnd, hashes: Hashes): readonly number[] {
  const found = new Set<number>();
  let last: string | undefined;
  for (let position = 0; position < entries.length; position += 1) {
    const order = entries[position]?.orderOriginId;
    if (order === undefined || order === last || fates.states[position] === stateCodes.none) continue;
    found.add(hashes.ofOrder(order));
    last = order;
  }
  return [...found];
}

/** Whether one of these answers decides what is known of a record. */
export function decidedBy(answers: readonly PackedAnswer[]): (code: number, originId: string) => boolean {
  const decided = new Set<string>();
  for (const { kind, placed } of answers) {
    for (const [position, entry] of placed.entries.entries()) {
      if (isDecided(placed.fates, position))
        decided.add(`${kindCodes[entry.kind ?? kind]} ${entry.originId}`);
    }
  }
  return (code, originId) => decided.has(`${code} ${originId}`);
}

function isDecided({ states }: Fates, position: number): boolean {
  return states[position] !== stateCodes.none;
}
