import type { Json } from '../../base/json.ts';
import { isRefusal, type Refusal, refuse } from '../records/cell.ts';
import type { CellReader } from './cell-reader.ts';
import { readId, withoutApostrophe } from './id.ts';

const notText = refuse('not-text', 'this is not text', 'write it as text, in JSON in quotes');

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

/** Separates URLs; a comma only if another URL follows it. */
const addressSeparator = /,(?=\s*(?:https?:)?\/\/)|\^?\|+\^?|[\r\n]+/i;

/** The first URL of the cell; a relative one is resolved against `baseUrl`. */
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

/** A path without a scheme, without line breaks and without the brackets and quotes of HTML. */
const imagePath = /^(?![a-z][a-z\d+.-]*:)[^<>"\r\n]+$/i;

/**
 * The reader of a member's id, otherwise like `readOther`. A masked one (`hane****`) may belong to several people, and
 * rewards are paid by it.
 */
export function memberIdReader(readOther: CellReader): CellReader {
  return (cell) => (typeof cell === 'string' && isMasked(cell) ? maskedMember : readOther(cell));
}

/** Whether a marketplace has masked part of this id. */
export function isMasked(id: string): boolean {
  return id.includes('*');
}

export const maskedMember = refuse(
  'masked-member',
  'this member id is masked: several people may share it, and rewards are paid by it',
  'omit it from all records with --set memberOriginId=, or map a column with complete ids',
);

/** Digits, separators, and the asterisks with which marketplaces mask digits. */
const phoneShape = /^\+?[\d*().\-\s]+$/;
/** The form of nearly all numbers, which need no further checks. */
const plainPhone = /^0\d{1,3}-?\d{3,4}-?\d{4}$/;
const fewestPhoneDigits = 7;
const mostPhoneDigits = 15;
const koreanPrefix = /^\+?82[-\s.]*(?:(?:\(0\)|0)[-\s.]*)?(?=[1-9])/;
/** A mobile number without its leading zero, which a spreadsheet has removed; no other Korean number has this form. */
const mobileWithoutZero = /^1[016-9]-?\d{3,4}-?\d{4}$/;

/**
 * Parses a phone number, Korean ones in their domestic form: `+82 10-1234-5678` and `1012345678` are `010-1234-5678`
 * and `01012345678`. A leading apostrophe of a spreadsheet is removed. Texts with letters, or with too few or too many
 * digits, are refused.
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

/** Parses an e-mail address; only its `@` is checked. */
export function readEmail(cell: Json): string | Refusal {
  if (typeof cell !== 'string') return notAnEmail;
  const address = cell.trim().normalize('NFC');
  return /^[^\s@]+@[^\s@]+$/.test(address) ? address : notAnEmail;
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
