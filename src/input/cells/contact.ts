import type { Json } from '../../base/json.ts';
import { Refusal } from '../records/refusal.ts';
import { readId, withoutApostrophe } from './id.ts';

/** The id of a member. One that a marketplace has masked (`hane****`) may be many people's, and rewards go by this id. */
export function readMemberId(cell: Json): string | Refusal {
  return typeof cell === 'string' && isMasked(cell) ? maskedMember : readId(cell);
}

/** Whether a marketplace has hidden some of the characters of this id. */
export function isMasked(id: string): boolean {
  return id.includes('*');
}

export const maskedMember = new Refusal(
  'masked-member',
  'this id of a member is masked: several people may share it, and rewards go by it',
  'leave it out of all records with --set memberOriginId=, or map a column with whole ids',
);

/** What stands in a number: digits, what parts them, and the stars with which marketplaces hide some. */
const numberShape = /^\+?[\d*().\-\s]+$/;
/** How nearly all numbers are written; they need no closer look. */
const plainNumber = /^0\d{1,3}-?\d{3,4}-?\d{4}$/;
const fewestDigits = 7;
const mostDigits = 15;
const koreanPrefix = /^\+?82[-\s.]*(?:\(0\)|0)?[-\s.]*(?=[1-9])/;
/** A mobile number whose zero a spreadsheet has dropped; no other Korean number looks like it. */
const mobileWithoutZero = /^1[016-9]-?\d{3,4}-?\d{4}$/;

/**
 * A phone number as the shop writes it, Korean ones as they are dialled in Korea: `+82 10-1234-5678` and `1012345678`
 * are `010-1234-5678` and `01012345678`. A leading apostrophe is a spreadsheet's and is taken off. Refused is what holds
 * letters, or too few or too many digits.
 */
export function readPhone(cell: Json): string | Refusal {
  if (typeof cell === 'string' && plainNumber.test(cell)) return cell;
  const number = readId(withoutApostrophe(cell));
  if (number instanceof Refusal) return number;
  const digits = number.replace(/[^\d*]/g, '').length;
  if (!numberShape.test(number) || digits < fewestDigits || digits > mostDigits) return notAPhone;
  if (number.startsWith('+82') || /^82[-\s]?1[016-9]/.test(number)) return number.replace(koreanPrefix, '0');
  return mobileWithoutZero.test(number) ? `0${number}` : number;
}

/** An address with its `@`; the rest is the business of whoever sends mail. */
export function readEmail(cell: Json): string | Refusal {
  if (typeof cell !== 'string') return notAnEmail;
  const address = cell.trim().normalize('NFC');
  return /^[^\s@]+@[^\s@]+$/.test(address) ? address : notAnEmail;
}

const notAPhone = new Refusal(
  'not-a-phone',
  'this is not a phone number',
  'write digits, such as 010-1234-5678; or see whether the right column is mapped',
);
const notAnEmail = new Refusal(
  'not-an-email',
  'this is not an e-mail address',
  'write it as name@example.com, leave the cell blank, or see whether the right column is mapped',
);
