import type { Json } from '../../base/json.ts';
import { Refusal } from '../records/cell.ts';
import { readId, withoutApostrophe } from './id.ts';

/** Parses the id of a member. A masked one (`hane****`) may belong to several people, and rewards are paid by it. */
export function readMemberId(cell: Json): string | Refusal {
  return typeof cell === 'string' && isMasked(cell) ? maskedMember : readId(cell);
}

/** Whether a marketplace has masked characters of this id. */
export function isMasked(id: string): boolean {
  return id.includes('*');
}

export const maskedMember = new Refusal(
  'masked-member',
  'this member id is masked: several people may share it, and rewards are paid by it',
  'omit it from all records with --set memberOriginId=, or map a column with complete ids',
);

/** Digits, separators, and the asterisks with which marketplaces mask digits. */
const numberShape = /^\+?[\d*().\-\s]+$/;
/** The form of nearly all numbers, which need no further checks. */
const plainNumber = /^0\d{1,3}-?\d{3,4}-?\d{4}$/;
const fewestDigits = 7;
const mostDigits = 15;
const koreanPrefix = /^\+?82[-\s.]*(?:(?:\(0\)|0)[-\s.]*)?(?=[1-9])/;
/** A mobile number without its leading zero, which a spreadsheet has removed; no other Korean number has this form. */
const mobileWithoutZero = /^1[016-9]-?\d{3,4}-?\d{4}$/;

/**
 * Parses a phone number, Korean ones in their domestic form: `+82 10-1234-5678` and `1012345678` are `010-1234-5678`
 * and `01012345678`. A leading apostrophe of a spreadsheet is removed. Texts with letters, or with too few or too many
 * digits, are refused.
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

/** Parses an e-mail address; only its `@` is checked. */
export function readEmail(cell: Json): string | Refusal {
  if (typeof cell !== 'string') return notAnEmail;
  const address = cell.trim().normalize('NFC');
  return /^[^\s@]+@[^\s@]+$/.test(address) ? address : notAnEmail;
}

const notAPhone = new Refusal(
  'not-a-phone',
  'this is not a phone number',
  'write digits, such as 010-1234-5678; or omit it from all records with --set FIELD=',
);
const notAnEmail = new Refusal(
  'not-an-email',
  'this is not an e-mail address',
  'write it as name@example.com, leave the cell blank, or check that the right column is mapped',
);
