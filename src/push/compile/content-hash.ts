import type { Json } from '../../base/json.ts';
import { textHash, textHashLength } from '../../base/text-hash.ts';

/** The hash of content that is sent as JSON. */
export function contentHash(content: object): string {
  return textHash(JSON.stringify(content));
}

const notGiven = '.'.repeat(textHashLength);

/** The hashes of individual values as one text; dots for an absent value. */
export function hashOfEach(values: readonly (Json | undefined)[]): string {
  return values.map((value) => (value === undefined ? notGiven : textHash(JSON.stringify(value)))).join('');
}

/** True if all values of a row were sent before, by the hashes of both. Absent values may be anything. */
export function isSentBefore(row: string, sent: string): boolean {
  if (row === sent) return true;
  if (!row.includes('.') || row.length !== sent.length) return false;
  for (let at = 0; at < row.length; at += textHashLength) {
    const given = row.slice(at, at + textHashLength);
    if (given !== notGiven && given !== sent.slice(at, at + textHashLength)) return false;
  }
  return true;
}
