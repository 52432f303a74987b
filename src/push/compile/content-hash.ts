import { textHash, textHashLength } from '../../base/text-hash.ts';
import type { KnownRecord } from '../../store/journal/push-journal.ts';

/*
 * The hash of a record is that of the text that is sent of it; of an item of a whole order, that of all the row says,
 * then a shorter one of what only the creation of its order takes.
 */

const ofOrderLength = 8;

/** The hash of a record of which `text` is sent; `ofOrder` is what only the creation of its whole order takes. */
export function sentHash(text: string, ofOrder?: string): string {
  return ofOrder === undefined ? textHash(text) : textHash(text) + textHash(ofOrder).slice(0, ofOrderLength);
}

/** The hash of a content that is sent as JSON. */
export function contentHash(content: object): string {
  return sentHash(JSON.stringify(content));
}

/** Whether two hashes are of the same content. */
export function isSameContent(one: string, other: string): boolean {
  return one.slice(0, textHashLength) === other.slice(0, textHashLength);
}

/** What decides whether an update can turn one content into another. */
export type SentContent = Pick<KnownRecord, 'contentHash' | 'orderOriginId'>;

/**
 * Whether two contents differ in nothing but what an update can change: both are of the same order, and that of the
 * same fields.
 */
export function canBeUpdated(from: SentContent, to: SentContent): boolean {
  return (
    from.orderOriginId !== undefined &&
    from.orderOriginId === to.orderOriginId &&
    from.contentHash.slice(textHashLength) === to.contentHash.slice(textHashLength)
  );
}
