import { kindCodes, stateCodes } from './codes.ts';
import type { Entries, Fates } from './columns.ts';

/**
 * A hash of 32 bits over an id and the code of its kind, as a signed number. Rows hold these hashes for good. Ids that
 * share one are distinguished by the ids themselves. States share one index, and have hashes of their own.
 */
export function hashRecord(state: number, kindCode: number, id: string): number {
  // FNV-1a over UTF-16 units, mixed at the end so that all bits depend on all units.
  let hash = 0x811c9dc5 ^ kindCode ^ Math.imul(state, 0x9e3779b1);
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** By the hash of an order its items are found, too. */
export function hashOrder(state: number, orderOriginId: string): number {
  return hashRecord(state, kindCodes.order, orderOriginId);
}

/**
 * The hashes by which an answer is found: of the records of which something is known, and of the orders of items, once
 * for neighbours.
 */
export function hashesOf(
  state: number,
  { kinds, originIds, orders }: Entries,
  { states }: Pick<Fates, 'states'>,
): Int32Array {
  const hashes = new Int32Array(2 * originIds.length);
  let count = 0;
  let lastOrder: string | null | undefined;
  for (let at = 0; at < originIds.length; at += 1) {
    if (states[at] === stateCodes.none) continue;
    hashes[count] = hashRecord(state, kinds[at] ?? 0, originIds[at] ?? '');
    count += 1;
    const order = orders[at];
    if (typeof order === 'string' && order !== lastOrder) {
      hashes[count] = hashOrder(state, order);
      count += 1;
    }
    lastOrder = order;
  }
  return hashes.subarray(0, count);
}
