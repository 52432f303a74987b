import { type HintText, hint, reviewctl } from '../../base/hint.ts';
import { kebabCase } from '../../base/name-case.ts';
import { textHash } from '../../base/text-hash.ts';
import type { OrderItemRecord } from '../../input/records/record-kinds.ts';
import { comparableOf } from './differences.ts';

/**
 * The fields of an order (assumption `createOrders`), combined from rows that do not contradict each other. Shops stamp
 * each line of an order as they write it, so the earliest time is that of the order.
 */
export function orderFieldsOf(rows: readonly OrderItemRecord[]) {
  const first = <K extends keyof OrderItemRecord>(field: K) =>
    rows.find((row) => row[field] !== undefined)?.[field];
  const together = <K extends 'buyer' | 'recipient'>(field: K): OrderItemRecord[K] =>
    first(field) && Object.assign({}, ...rows.map((row) => row[field]));
  const times = rows.flatMap(({ orderedAt }) => (orderedAt === undefined ? [] : [orderedAt]));
  return {
    orderedAt: times.sort((a, b) => Date.parse(a) - Date.parse(b))[0],
    memberOriginId: first('memberOriginId') ?? undefined,
    alimtalkTemplateCode: first('alimtalkTemplateCode'),
    buyer: together('buyer'),
    recipient: together('recipient'),
  };
}

/** The owner of an order: from one of its rows, or from the body of its update (API 4.10). */
export type OrderOwner = {
  readonly [Name in 'memberOriginId' | 'alimtalkTemplateCode' | 'buyer' | 'recipient']?:
    | OrderItemRecord[Name]
    | undefined;
};

/** The values that identify the owner of an order, by name. */
export const ownerValues: Readonly<Record<string, (owner: OrderOwner) => string | null | undefined>> = {
  memberOriginId: ({ memberOriginId }) => memberOriginId,
  alimtalkTemplateCode: ({ alimtalkTemplateCode }) => alimtalkTemplateCode,
  'buyer.name': ({ buyer }) => buyer?.name,
  'buyer.phone': ({ buyer }) => buyer?.phone,
  'buyer.email': ({ buyer }) => buyer?.email,
  'recipient.name': ({ recipient }) => recipient?.name,
  'recipient.phone': ({ recipient }) => recipient?.phone,
};

/** The paths of the fields of orders, sent if orders are created whole (assumption `createOrders`). */
export const orderFields: readonly string[] = ['orderedAt', ...Object.keys(ownerValues)];

/** Characters of the hash of a value, 18 bits: enough to notice a change, too few to recover a phone number. */
const hashLength = 3;
const noValue = '.'.repeat(hashLength);

/**
 * The owner of an order in the form kept by the journal: a short hash of each value, or dots for none. Values that
 * `owner` omits stay as in `before`.
 */
export function ownerHash(orderOriginId: string, owner: OrderOwner, before = ''): string {
  const hashes = Object.entries(ownerValues).map(([name, read], index) => {
    const value = read(owner);
    if (value === undefined) return hashAt(before, index) || noValue;
    return value === null ? noValue : hashOf(orderOriginId, name, value);
  });
  return hashes.join('');
}

/**
 * The reason why a row contradicts its order, whose owner was recorded as `recorded`: it names another owner, and no
 * push changes an order. Undefined if it does not, or if nothing was recorded.
 */
export function otherOwner(
  orderOriginId: string,
  recorded: string | undefined,
  row: OrderOwner,
): HintText | undefined {
  if (!recorded) return undefined;
  const others = Object.entries(ownerValues).flatMap(([name, read], index) => {
    const value = read(row);
    return value == null || hashOf(orderOriginId, name, value) === hashAt(recorded, index) ? [] : [name];
  });
  if (others.length === 0) return undefined;
  const flags = others.flatMap((name) => [`--${kebabCase(name.replace('.', '-'))}`, 'VALUE']);
  return hint`its order was sent with another ${others.join(', ')}, which no push changes; leave it blank, or set it
    with ${reviewctl`orders update ${`origin:${orderOriginId}`} ${flags}`}, then push again`;
}

function hashAt(hashes: string, index: number): string {
  return hashes.slice(index * hashLength, (index + 1) * hashLength);
}

/** Different notations of one value have the same hash. Including the order hides values that orders have in common. */
function hashOf(orderOriginId: string, name: string, value: string): string {
  return textHash(orderOriginId, comparableOf(name, value, 'exact') ?? value).slice(0, hashLength);
}
