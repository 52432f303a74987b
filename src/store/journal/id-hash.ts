import { textHashHalves } from '../../base/text-hash.ts';
import type { Entries, Outcomes } from './columns.ts';
import type { JournaledKind } from './push-journal.ts';
import { journaledKinds } from './record-state.ts';

const halves = new Uint32Array(2);

/**
 * A signed 32-bit hash of an id and its kind, stored in rows: it must never change. The ids themselves distinguish ids
 * with the same hash. States share one index, so the hash includes the state.
 */
export function hashRecord(state: number, kind: JournaledKind, id: string): number {
  textHashHalves(id, halves);
  return (
    (halves[1] ?? 0) ^ Math.imul(state * journaledKinds.length + journaledKinds.indexOf(kind), 0x9e3779b1)
  );
}

/** Also finds the items of an order. */
export function hashOrder(state: number, orderOriginId: string): number {
  return hashRecord(state, 'order', orderOriginId);
}

/**
 * The hashes that find an answer: those of records with an outcome, and those of the orders of items, once for
 * neighbours.
 */
export function hashesOf(
  state: number,
  { kinds, originIds, orders }: Entries,
  { states }: Pick<Outcomes, 'states'>,
): Int32Array {
  const hashes = new Int32Array(2 * originIds.length);
  let count = 0;
  let lastOrder: string | null | undefined;
  for (let at = 0; at < originIds.length; at += 1) {
    if (states[at] === 'none') continue;
    hashes[count] = hashRecord(state, kinds[at] ?? 'order', originIds[at] ?? '');
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
