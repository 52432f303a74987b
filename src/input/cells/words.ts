import type { Json } from '../../base/json.ts';
import { type OrderItemStatus, orderItemStatuses } from '../../contract/states.ts';
import { type Refusal, refuse } from '../records/cell.ts';
import type { OpenStatusChoice } from '../records/options.ts';

const yes = 'y yes t true 1 on 예 사용 사용함 노출 노출함 진열 진열함 판매함';
/** -1 is a WooCommerce draft. */
const no = 'n no f false 0 -1 off 아니오 아니요 미사용 사용안함 미노출 노출안함 미진열 진열안함 판매안함';

/** Booleans as shop systems and spreadsheets write them. */
const booleans: ReadonlyMap<string, boolean> = new Map([
  ...yes.split(' ').map((word) => [word, true] as const),
  ...no.split(' ').map((word) => [word, false] as const),
]);

const notABoolean = refuse(
  'not-a-boolean',
  'this is not a boolean value',
  'write true or false (Y/N, T/F, 1/0, 예/아니오, 사용함/사용안함 and 노출함/노출안함 are understood too)',
);

export function readBoolean(cell: Json): boolean | Refusal {
  if (typeof cell === 'boolean') return cell;
  if (typeof cell !== 'string' && typeof cell !== 'number') return notABoolean;
  return booleans.get(wordOf(String(cell))) ?? notABoolean;
}

/** Normalizes a word for comparison: `사용 안함` equals `사용안함`. */
function wordOf(cell: string): string {
  return cell.normalize('NFC').replace(/\s+/g, '').toLowerCase();
}

/** Statuses by the words that mean them. */
export type StatusWords = Readonly<Record<string, OrderItemStatus | 'in-progress'>>;

const everywhere: StatusWords = {
  ...Object.fromEntries(orderItemStatuses.map((status) => [status, status])),
  배송완료: 'DELIVERED',
  구매확정: 'DELIVERED',
  취소완료: 'CANCEL',
  반품완료: 'RETURN',
  교환완료: 'EXCHANGE',
  결제완료: 'in-progress',
  발주확인: 'in-progress',
};

/** Endings of words for a status still in progress: `배송중`, `입금전`, `배송대기`, `반품신청`. */
const inProgressEnding = /(?:중|전|대기|신청|요청|접수|보류|지시)$/;

/**
 * Creates the parser of statuses: one of the five of the API (API 3), in any case, or a shop's word for one. The API
 * has no status for an item in progress, and daily exports are full of them, so such a word leaves the status unset;
 * with `openStatus` `refuse`, it is refused.
 */
export function statusReader(
  ofPreset: StatusWords = {},
  openStatus?: OpenStatusChoice,
): (cell: Json) => OrderItemStatus | undefined | Refusal {
  const words = new Map(
    Object.entries({ ...everywhere, ...ofPreset }).map(([word, status]) => [wordOf(word), status]),
  );
  return (cell) => {
    if (typeof cell !== 'string') return notAStatus;
    const word = wordOf(cell);
    const status = words.get(word) ?? (inProgressEnding.test(word) ? 'in-progress' : notAStatus);
    if (status !== 'in-progress') return status;
    return openStatus === 'refuse' ? stillOpen : undefined;
  };
}

const stillOpen = refuse(
  'open-status',
  'this status is still in progress, which the service cannot record',
  'to leave the status of such items unchanged: -c open-status=omit',
);

const notAStatus = refuse(
  'not-a-status',
  'the service does not have this status',
  `write one of ${orderItemStatuses.join(', ')}, or omit the status from all records with --set status=`,
);
