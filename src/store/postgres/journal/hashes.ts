import { kindCodes } from '../../journal/packed/enum-codes.ts';
import { hashId } from '../../journal/packed/id-hash.ts';
import type { JournaledKind } from '../../journal/push-journal.ts';

/** The hashes by which the answers of one state are found. Tables hold them for good. */
export interface Hashes {
  readonly ofRecord: (kind: JournaledKind, originId: string) => number;
  /** Of the order of items. */
  readonly ofOrder: (orderOriginId: string) => number;
}

export function createHashes(state: number): Hashes {
  // States share one index.
  const salt = Math.imul(state, 0x9e3779b1);
  const hashOf = (kind: JournaledKind, id: string) => hashId(kindCodes[kind], id) ^ salt;
  return { ofRecord: hashOf, ofOrder: (order) => hashOf('order', order) };
}
