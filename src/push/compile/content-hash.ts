import { crypto } from '../../base/crypto.ts';
import { textHash, textHashLength } from '../../base/text-hash.ts';
import type { KnownRecord } from '../../store/journal/push-journal.ts';

/*
 * The hash of a record is that of the text that is sent of it; of an item of a whole order, that of all the row says,
 * then a shorter one of what only the creation of its order takes. Journals of older versions hold longer ones, made by
 * SHA-256.
 */

const ofOrderLength = 8;
const olderLength = 22;
const olderOfOrderLength = 11;

/** The hash of a record of which `text` is sent; `ofOrder` is what only the creation of its whole order takes. */
export function sentHash(text: string, ofOrder?: string): string {
  return ofOrder === undefined ? textHash(text) : textHash(text) + textHash(ofOrder).slice(0, ofOrderLength);
}

/** The hash of a content as journals of older versions have it, and as they all have that of a single update. */
export function contentHash(content: object, ofOrder?: object): string {
  if (ofOrder === undefined) return hashOf(content, olderLength);
  return hashOf({ ...content, ...ofOrder }, olderLength) + hashOf(ofOrder, olderOfOrderLength);
}

/** Whether the hash is one of `contentHash`. */
export function isOlderHash(contentHash: string): boolean {
  return contentHash.length >= olderLength;
}

/** Whether two hashes of one making are of the same content. */
export function isSameContent(one: string, other: string): boolean {
  return wholeOf(one) === wholeOf(other);
}

/** What decides whether an update can turn one content into another. */
export type SentContent = Pick<KnownRecord, 'contentHash' | 'orderOriginId'>;

/**
 * Whether two contents differ in nothing but what an update can change: both are of the same order, and that of the
 * same fields. Their hashes are of one making.
 */
export function canBeUpdated(from: SentContent, to: SentContent): boolean {
  return (
    from.orderOriginId !== undefined &&
    from.orderOriginId === to.orderOriginId &&
    ofOrderOf(from.contentHash) === ofOrderOf(to.contentHash)
  );
}

function wholeOf(contentHash: string): string {
  return contentHash.slice(0, isOlderHash(contentHash) ? olderLength : textHashLength);
}

function ofOrderOf(contentHash: string): string {
  return contentHash.slice(isOlderHash(contentHash) ? olderLength : textHashLength);
}

function hashOf(content: object, length: number): string {
  return crypto().hash('sha256', JSON.stringify(content), 'base64url').slice(0, length);
}
