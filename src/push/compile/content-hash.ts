import { textHash } from '../../base/text-hash.ts';

/** The hash of a content that is sent as JSON. */
export function contentHash(content: object): string {
  return textHash(JSON.stringify(content));
}
