import type { Json } from '../../base/json.ts';
import { Refusal } from '../records/cell.ts';

const notText = new Refusal('not-text', 'this is not text', 'write it as text, in JSON in quotes');

/** Trims text and normalizes it to NFC, because macOS decomposes Hangul. */
export function readText(cell: Json): string | Refusal {
  return typeof cell === 'string' ? cell.trim().normalize('NFC') : notText;
}

const relative = new Refusal(
  'relative-image',
  'this is a path, not the complete URL of an image',
  'give the base URL of the paths: -c image-base-url=URL, or omit images: --set imageUrl=',
);

const notAnAddress = new Refusal(
  'not-an-address',
  'this is not the URL of an image',
  'write a URL that begins with https://, or give the base URL of relative paths with the setting image-base-url',
);

/** Separates URLs; a comma only if another URL follows it. */
const addressSeparator = /,(?=\s*(?:https?:)?\/\/)|\^?\|+\^?|[\r\n]+/i;

/** A cell without these characters contains a single URL, as nearly all do. */
const maySeparate = /[,|\r\n]/;

/** The first URL of the cell; a relative one is resolved against `baseUrl`. */
export function readImageUrl(cell: Json, baseUrl?: string): string | Refusal {
  if (typeof cell !== 'string') return notAnAddress;
  const addresses = cell.trim();
  const [written = ''] = maySeparate.test(addresses) ? addresses.split(addressSeparator, 1) : [addresses];
  const first = written.trim();
  const address = first.startsWith('//') ? `https:${first}` : first;
  if (/^https?:\/\//i.test(address)) return URL.canParse(address) ? address : notAnAddress;
  if (!imagePath.test(address)) return notAnAddress;
  if (baseUrl === undefined) return relative;
  const base = baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`;
  return URL.canParse(address, base) ? new URL(address, base).href : notAnAddress;
}

/** A path without a scheme, without line breaks and without the brackets and quotes of HTML. */
const imagePath = /^(?![a-z][a-z\d+.-]*:)[^<>"\r\n]+$/i;
