import { hash } from 'node:crypto';
import type { JournalEntry, KnownRecord } from '../../store/journal/push-journal.ts';

/**
 * What the journal keeps of a product: its image, because the service may keep a copy of an image and show the address
 * of that; and that it was created, because a list may show a product long after it was made.
 */
export function productEntry({
  originId,
  imageUrl,
}: {
  readonly originId: string;
  readonly imageUrl?: string | undefined;
}): JournalEntry {
  return { originId, contentHash: imageHash(imageUrl) };
}

/** Whether this image is the last one the service took for a product. */
export function isImageTaken(known: KnownRecord | undefined, imageUrl: string | undefined): boolean {
  return known?.fate === 'accepted' && imageUrl !== undefined && known.contentHash === imageHash(imageUrl);
}

/** A hash of the address; empty where there is none. */
function imageHash(imageUrl: string | undefined): string {
  return imageUrl === undefined ? '' : hash('sha256', imageUrl, 'base64url').slice(0, 22);
}
