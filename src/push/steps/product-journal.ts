import { hash } from 'node:crypto';
import type { KnownRecord, PushJournal } from '../../store/journal/push-journal.ts';
import { recordAccepted } from './record-accepted.ts';

/** What is sent of a product, as far as the journal keeps it. */
interface SentProduct {
  readonly originId: string;
  readonly imageUrl?: string | undefined;
}

/**
 * A creation that is on record as under way; one of the three ends it, and where none does, it may have had its effect.
 */
interface JournaledCreation {
  /** The service has the product under this id. */
  created(id: string): Promise<void>;
  /** It may or may not have had its effect. */
  outcomeUnknown(): Promise<void>;
  /** It provably had none. */
  refused(): Promise<void>;
}

/**
 * The creations of products that were sent, because a list may show a product long after it was made; and the images
 * the service has taken, because it may keep a copy of an image and show the address of that. When a promise resolves,
 * it is on record.
 */
export interface ProductJournal {
  /** What is known of each of `originIds`; nothing of products that were never created from here. */
  known(originIds: readonly string[]): Promise<(originId: string) => KnownRecord | undefined>;
  /** Before a creation leaves. */
  begin(product: SentProduct): Promise<JournaledCreation>;
  /** That the service has the product, and took this image for it. */
  taken(product: SentProduct, id: string): Promise<void>;
}

export function productJournal(journal: Pick<PushJournal, 'known' | 'begin' | 'end'>): ProductJournal {
  const entryOf = ({ originId, imageUrl }: SentProduct) => ({ originId, contentHash: imageHash(imageUrl) });
  return {
    known: async (originIds) => {
      const known = await journal.known('product', originIds);
      return (originId) => known.get(originId);
    },
    begin: async (product) => {
      const entry = entryOf(product);
      const request = await journal.begin('product', [entry]);
      return {
        created: (objectId) => journal.end('product', request, { accepted: [{ entry, objectId }] }),
        outcomeUnknown: () => journal.end('product', request, { unknown: [entry] }),
        refused: () => journal.end('product', request, {}),
      };
    },
    taken: (product, objectId) => recordAccepted(journal, 'product', { entry: entryOf(product), objectId }),
  };
}

/** Whether this image is the last one the service took for a product. */
export function isImageTaken(known: KnownRecord | undefined, imageUrl: string | undefined): boolean {
  return known?.fate === 'accepted' && imageUrl !== undefined && known.contentHash === imageHash(imageUrl);
}

/** A hash of the address; empty where there is none. */
function imageHash(imageUrl: string | undefined): string {
  return imageUrl === undefined ? '' : hash('sha256', imageUrl, 'base64url').slice(0, 22);
}
