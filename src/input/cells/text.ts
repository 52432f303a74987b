import type { Json } from '../../base/json.ts';
import { Refusal } from '../records/refusal.ts';

const notText = new Refusal('not-text', 'this is not text', 'write it as text, in JSON between quotes');

/** Text without blanks around it, its characters composed (NFC: macOS decomposes Hangul). */
export function readText(cell: Json): string | Refusal {
  return typeof cell === 'string' ? cell.trim().normalize('NFC') : notText;
}

const relative = new Refusal(
  'relative-image',
  'this is a path, not the whole web address of an image',
  'say what the paths belong to with --image-base-url, or leave images out with --set imageUrl=',
);

const notAnAddress = new Refusal(
  'not-an-address',
  'this is not the web address of an image',
  'write an address that begins with https://, or say what relative paths belong to with --image-base-url',
);

/** Between addresses; a comma within one is not followed by another. */
const addressSeparator = /\s*(?:,\s*(?=(?:https?:)?\/\/)|\^?\|+\^?|[\r\n]+)\s*/i;

/** Without one of these a cell holds one address, as nearly all do. */
const maySeparate = /[,|\r\n]/;

/** The first address of the cell, absolute; a relative one is completed with `baseUrl`. */
export function readImageUrl(cell: Json, baseUrl?: string): string | Refusal {
  if (typeof cell !== 'string') return notAnAddress;
  const addresses = cell.trim();
  const [written = ''] = maySeparate.test(addresses) ? addresses.split(addressSeparator, 1) : [addresses];
  const address = written.startsWith('//') ? `https:${written}` : written;
  if (/^https?:\/\//i.test(address)) return URL.canParse(address) ? address : notAnAddress;
  if (!imagePath.test(address)) return notAnAddress;
  if (baseUrl === undefined) return relative;
  const base = baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`;
  return URL.canParse(address, base) ? new URL(address, base).href : notAnAddress;
}

/** A path: without a scheme, and without the blanks of a sentence or the brackets of HTML. */
const imagePath = /^(?![a-z][a-z\d+.-]*:)[^<>"\r\n]+$/i;
