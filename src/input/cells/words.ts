import type { Json } from '../../base/json.ts';
import { type OrderItemStatus, orderItemStatuses } from '../../contract/states.ts';
import { Refusal } from './refusal.ts';

/** The words of shop systems and spreadsheets; -1 is a WooCommerce draft. */
const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['y', 'yes', 't', 'true', '1', '사용함', '노출함'].map((word) => [word, true] as const),
  ...['n', 'no', 'f', 'false', '0', '-1', '사용안함', '노출안함'].map((word) => [word, false] as const),
]);

const notABoolean = new Refusal(
  'not-a-boolean',
  'this is neither yes nor no',
  'write true or false (Y/N, T/F, 1/0, 사용함/사용안함 and 노출함/노출안함 are understood too)',
);

export function readBoolean(cell: Json): boolean | Refusal {
  if (typeof cell === 'boolean') return cell;
  if (typeof cell !== 'string' && typeof cell !== 'number') return notABoolean;
  const word = String(cell).trim().normalize('NFC').toLowerCase();
  return booleans.get(word) ?? notABoolean;
}

const notAnInteger = new Refusal(
  'not-an-integer',
  'this is not a whole number',
  'write digits only, such as 12',
);

export function readInteger(cell: Json): number | Refusal {
  const isDigits = typeof cell === 'string' && /^[+-]?\d+$/.test(cell.trim());
  const value = isDigits ? Number(cell) : cell;
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : notAnInteger;
}

const statuses: ReadonlyMap<string, OrderItemStatus> = new Map(
  orderItemStatuses.map((status) => [status, status]),
);

const notAStatus = new Refusal(
  'not-a-status',
  'the service does not know this status',
  `write one of ${orderItemStatuses.join(', ')}, or give all records one with --set status=DELIVERED`,
);

/** One of the document's five words (API 3), in any case. */
export function readStatus(cell: Json): OrderItemStatus | Refusal {
  if (typeof cell !== 'string') return notAStatus;
  return statuses.get(cell.trim().toUpperCase()) ?? notAStatus;
}
