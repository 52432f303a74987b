import type { Json } from '../../base/json.ts';
import { Refusal } from './refusal.ts';

const notText = new Refusal('not-text', 'this is not text', 'write it as text, in JSON between quotes');

/** Text without blanks around it, its characters composed (NFC: macOS decomposes Hangul). */
export function readText(cell: Json): string | Refusal {
  return typeof cell === 'string' ? cell.trim().normalize('NFC') : notText;
}

const notAnAddress = new Refusal(
  'not-an-address',
  'this is not the web address of an image',
  'write an address that begins with https://, or say what relative paths belong to with --image-base-url',
);

/** An absolute address; a relative one is completed with `baseUrl`. */
export function readImageUrl(cell: Json, baseUrl?: string): string | Refusal {
  if (typeof cell !== 'string') return notAnAddress;
  const written = cell.trim();
  const address = written.startsWith('//') ? `https:${written}` : written;
  if (/^https?:\/\//i.test(address)) return URL.canParse(address) ? address : notAnAddress;
  if (baseUrl === undefined || /^[a-z][a-z\d+.-]*:/i.test(address)) return notAnAddress;
  const base = baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`;
  return URL.canParse(address, base) ? new URL(address, base).href : notAnAddress;
}
