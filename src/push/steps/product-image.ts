import { hash } from 'node:crypto';
import type { JournalEntry, KnownRecord } from '../../store/journal/push-journal.ts';

/**
 * The journal entry of a product. It has the image, because the service may keep a copy and show the address of the
 * copy. It also proves the creation, because a list may show a product only long after.
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

/** True if this image is the last one that the service accepted for a product. */
export function isImageTaken(known: KnownRecord | undefined, imageUrl: string | undefined): boolean {
  return known?.fate === 'accepted' && imageUrl !== undefined && known.contentHash === imageHash(imageUrl);
}

/** A hash of the address; empty if there is none. */
function imageHash(imageUrl: string | undefined): string {
  return imageUrl === undefined ? '' : hash('sha256', imageUrl, 'base64url').slice(0, 22);
}
