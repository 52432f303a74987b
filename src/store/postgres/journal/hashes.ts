import { ordersOf } from '../../journal/packed/answer-items.ts';
import { kindCodes } from '../../journal/packed/enum-codes.ts';
import { hashId } from '../../journal/packed/id-hash.ts';
import type { JournaledKind } from '../../journal/push-journal.ts';

/** No kind of records has this code: under it the items of an order are found. */
const itemsOfOrder = 0;

/** The hashes by which the answers of one state are found. Tables hold them for good. */
export interface Hashes {
  ofRecord(kind: JournaledKind, originId: string): number;
  /** Of the items of an order. */
  ofItems(orderOriginId: string): number;
  /** Of the orders of all items in an answer. */
  ofOrdersIn(answer: Parameters<typeof ordersOf>[0]): readonly number[];
}

export function createHashes(state: number): Hashes {
  const ofItems = (order: string) => hashOf(itemsOfOrder, order);
  // States share one index.
  const salt = Math.imul(state, 0x9e3779b1);
  const hashOf = (code: number, id: string) => hashId(code, id) ^ salt;
  return {
    ofRecord: (kind, originId) => hashOf(kindCodes[kind], originId),
    ofItems,
    ofOrdersIn: (answer) => Array.from(ordersOf(answer), ofItems),
  };
}

/** A list of hashes as a parameter. */
export function hashList(hashes: Iterable<number>): string {
  return `{${Array.from(hashes).join()}}`;
}

const absentKept = 2 ** 15;

/**
 * Hashes of which there was nothing when they were last looked up. What is about to be sent is looked up before it is
 * sent and when it is answered: here the second time is spared, since nobody else sends it meanwhile.
 */
export class AbsentHashes {
  readonly #kept = new Int32Array(absentKept);

  add(hash: number): void {
    this.#kept[hash & (absentKept - 1)] = hash;
  }

  has(hash: number): boolean {
    return hash !== 0 && this.#kept[hash & (absentKept - 1)] === hash;
  }

  delete(hash: number): void {
    if (this.has(hash)) this.#kept[hash & (absentKept - 1)] = 0;
  }
}
