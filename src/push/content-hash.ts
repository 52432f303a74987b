import { hash } from 'node:crypto';
import type { JournalEntry } from '../store/push-journal.ts';

/** 132 bits of a hash over all that is sent of a record, then, of an item of a whole order, 66 bits over what is the order's. */
const wholeLength = 22;
const ofOrderLength = 11;

/** A hash over what is sent of a record, together with `ofOrder`: what only the creation of its whole order takes. */
export function contentHash(content: object, ofOrder?: object): string {
  if (ofOrder === undefined) return hashOf(content, wholeLength);
  return hashOf({ ...content, ...ofOrder }, wholeLength) + hashOf(ofOrder, ofOrderLength);
}

export function isSameContent(one: string, other: string): boolean {
  return one.slice(0, wholeLength) === other.slice(0, wholeLength);
}

/** What tells whether an update can make one content of another. */
export type SentContent = Pick<JournalEntry, 'contentHash' | 'orderOriginId'>;

/** Whether two contents differ in nothing but what an update can change: both are of the same order, and that of the same fields. */
export function canBeUpdated(from: SentContent, to: SentContent): boolean {
  return (
    from.orderOriginId !== undefined &&
    from.orderOriginId === to.orderOriginId &&
    from.contentHash.slice(wholeLength) === to.contentHash.slice(wholeLength)
  );
}

function hashOf(content: object, length: number): string {
  return hash('sha256', JSON.stringify(content), 'base64url').slice(0, length);
}
