import { hash } from 'node:crypto';
import type { PushJournal } from '../store/push-journal.ts';
import { remember } from './remember.ts';

/**
 * The images a service has taken, by product. A service may keep a copy of an image and show the address of that, so that
 * the address it was given cannot be found again at the service: the journal remembers it.
 */
export interface AcceptedImages {
  /** For each of `originIds`, whether this `imageUrl` is the last one taken for it. */
  find(originIds: readonly string[]): (originId: string, imageUrl: string) => boolean;
  /** When this resolves, it is remembered. */
  remember(originId: string, imageUrl: string): Promise<void>;
}

export function acceptedImages(journal: Pick<PushJournal, 'known' | 'begin' | 'end'>): AcceptedImages {
  return {
    find: (originIds) => {
      const known = journal.known('product', originIds);
      return (originId, imageUrl) => known.get(originId)?.contentHash === imageHash(imageUrl);
    },
    remember: (originId, imageUrl) =>
      remember(journal, 'product', { entry: { originId, contentHash: imageHash(imageUrl) } }),
  };
}

function imageHash(imageUrl: string): string {
  return hash('sha256', imageUrl, 'base64url').slice(0, 22);
}
