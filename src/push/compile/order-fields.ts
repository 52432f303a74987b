import type { OrderItemRecord } from '../../input/records/record-kinds.ts';

/**
 * The fields of an order (assumption `createOrders`), put together from rows that do not contradict each other. Shops
 * stamp the lines of one order as they write them, so of several times the earliest is that of the order.
 */
export function orderFieldsOf(rows: readonly OrderItemRecord[]) {
  const first = <K extends keyof OrderItemRecord>(field: K) =>
    rows.find((row) => row[field] !== undefined)?.[field];
  const together = <K extends 'buyer' | 'recipient'>(field: K): OrderItemRecord[K] =>
    first(field) && Object.assign({}, ...rows.map((row) => row[field]));
  const times = rows.flatMap(({ orderedAt }) => (orderedAt === undefined ? [] : [orderedAt]));
  return {
    orderedAt: times.sort((a, b) => Date.parse(a) - Date.parse(b))[0],
    memberOriginId: first('memberOriginId'),
    alimtalkTemplateCode: first('alimtalkTemplateCode'),
    buyer: together('buyer'),
    recipient: together('recipient'),
  };
}

/** The values that say whose an order is, by name. */
export const ownerValues: Readonly<Record<string, (row: OrderItemRecord) => string | null | undefined>> = {
  memberOriginId: ({ memberOriginId }) => memberOriginId,
  alimtalkTemplateCode: ({ alimtalkTemplateCode }) => alimtalkTemplateCode,
  'buyer.name': ({ buyer }) => buyer?.name,
  'buyer.phone': ({ buyer }) => buyer?.phone,
  'buyer.email': ({ buyer }) => buyer?.email,
  'recipient.name': ({ recipient }) => recipient?.name,
  'recipient.phone': ({ recipient }) => recipient?.phone,
};

/** The paths of the fields of orders, which go out when orders are created whole (assumption `createOrders`). */
export const orderFields: readonly string[] = ['orderedAt', ...Object.keys(ownerValues)];
