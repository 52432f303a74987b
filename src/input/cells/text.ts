import type { Json } from '../../base/json.ts';
import { isRefusal, type Refusal, refuse } from '../records/cell.ts';
import type { CellReader } from './cell-reader.ts';
import { readId, withoutApostrophe } from './id.ts';

const notText = refuse('not-text', 'this is not text', 'write it as text; in JSON, put it in quotes');

/** Trims text and normalizes it to NFC, because macOS decomposes Hangul. */
export function readText(cell: Json): string | Refusal {
  return typeof cell === 'string' ? cell.trim().normalize('NFC') : notText;
}

const relative = refuse(
  'relative-image',
  'this is a path, not the complete URL of an image',
  'give the base URL of the paths: -c image-base-url=URL, or omit images: --set imageUrl=',
);

const notAnAddress = refuse(
  'not-an-address',
  'this is not the URL of an image',
  'write a URL that begins with https://, or give the base URL of relative paths with the setting image-base-url',
);

/** Separates URLs. A comma, a semicolon or a blank separates only if another URL follows. */
const addressSeparator = /[,;](?=\s*(?:https?:)?\/\/)|\s(?=https?:\/\/)|\^?\|+\^?|[\r\n]+/i;

/** Returns the first URL of the cell. A relative one is resolved against `baseUrl`. */
export function readImageUrl(cell: Json, baseUrl?: string): string | Refusal {
  if (typeof cell !== 'string') return notAnAddress;
  const [written = ''] = cell.trim().split(addressSeparator, 1);
  const first = written.trim();
  const address = first.startsWith('//') ? `https:${first}` : first;
  if (/^https?:\/\//i.test(address)) return URL.canParse(address) ? address : notAnAddress;
  if (!imagePath.test(address)) return notAnAddress;
  if (baseUrl === undefined) return relative;
  const base = baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`;
  return URL.canParse(address, base) ? new URL(address, base).href : notAnAddress;
}

/** A path: no scheme, no line breaks, none of the brackets and quotes of HTML. */
const imagePath = /^(?![a-z][a-z\d+.-]*:)[^<>"\r\n]+$/i;

/** The word that back offices write for a guest, in place of a member id. */
const guest = /^\s*\(?비회원(?: ?(?:구매|주문))?\)?\s*$/;

/**
 * Creates the reader of member ids: like `readOther`, but null for a guest (`비회원`), and refuses a masked id
 * (`hane****`). Several people may share either, and rewards are paid by this id.
 */
export function memberIdReader(readOther: CellReader): CellReader {
  return (cell) => {
    if (typeof cell !== 'string') return readOther(cell);
    if (guest.test(cell.normalize('NFC'))) return null;
    return isMasked(cell) ? maskedMember : readOther(cell);
  };
}

/** True if a marketplace masked part of this id. */
export function isMasked(id: string): boolean {
  return id.includes('*');
}

export const maskedMember = refuse(
  'masked-member',
  'this member id is masked: several people may share it, and rewards are paid by it',
  'omit it from all records with --set memberOriginId=, or map a column with complete ids',
);

/** Digits and separators. Marketplaces mask digits with asterisks. */
const phoneShape = /^\+?[\d*().\-\s]+$/;
/** The form of nearly all numbers, accepted without further checks. */
const plainPhone = /^0\d{1,3}-?\d{3,4}-?\d{4}$/;
const fewestPhoneDigits = 7;
const mostPhoneDigits = 15;
const koreanPrefix = /^\+?82[-\s.]*(?:(?:\(0\)|0)[-\s.]*)?(?=[1-9])/;
/** A mobile number whose leading zero a spreadsheet removed. No other Korean number has this form. */
const mobileWithoutZero = /^1[016-9]-?\d{3,4}-?\d{4}$/;

/**
 * Parses a phone number. Korean ones are returned in their domestic form: `+82 10-1234-5678` and `1012345678` become
 * `010-1234-5678` and `01012345678`. Removes a spreadsheet's leading apostrophe. Refuses text with letters, or with too
 * few or too many digits.
 */
export function readPhone(cell: Json): string | Refusal {
  if (typeof cell === 'string' && plainPhone.test(cell)) return cell;
  const number = readId(withoutApostrophe(cell));
  if (isRefusal(number)) return number;
  const digits = number.replace(/[^\d*]/g, '').length;
  if (!phoneShape.test(number) || digits < fewestPhoneDigits || digits > mostPhoneDigits) return notAPhone;
  if (number.startsWith('+82') || /^82[-\s]?1[016-9]/.test(number)) return number.replace(koreanPrefix, '0');
  return mobileWithoutZero.test(number) ? `0${number}` : number;
}

/** Parses an e-mail address; only its `@` is checked, and that no character is invisible. */
export function readEmail(cell: Json): string | Refusal {
  if (typeof cell !== 'string') return notAnEmail;
  const address = cell.trim().normalize('NFC');
  return /^[^\s@\p{Cf}]+@[^\s@\p{Cf}]+$/u.test(address) ? address : notAnEmail;
}

const notAPhone = refuse(
  'not-a-phone',
  'this is not a phone number',
  'write digits, such as 010-1234-5678; or omit it from all records with --set FIELD=',
);
const notAnEmail = refuse(
  'not-an-email',
  'this is not an e-mail address',
  'write it as name@example.com, leave the cell blank, or check that the right column is mapped',
);
