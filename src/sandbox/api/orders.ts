import { enqueueJobs } from '../jobs/jobs.ts';
import {
  createOrderItem,
  newItemProblem,
  productProblem,
  putNewItem,
  refusalOf,
  withDetails,
} from '../rules/creation.ts';
import { orderDocument, orderItemDocument } from '../rules/documents.ts';
import type { OperationHandlers } from '../rules/handlers.ts';
import { done, doneUpdate, notFound, type Refused } from '../state/outcome.ts';
import type {
  BuyerRecord,
  OrderItemInput,
  OrderItemRecord,
  OrderRecord,
  RecipientRecord,
} from '../state/records.ts';
import type { Visit } from '../state/request-context.ts';

/** API 4.9 to 4.14, and the opt-in creation of whole orders. */
export const orderHandlers: OperationHandlers<
  | 'getOrder'
  | 'updateOrder'
  | 'addOrderItem'
  | 'getOrderItem'
  | 'updateOrderItem'
  | 'bulkCreateOrderItems'
  | 'createOrders'
> = {
  getOrder: (visit, { parameters: { orderId } }) => {
    const order = visit.world.orders.get(orderId);
    return order ? done(orderDocument(visit, order)) : notFound('orderId', orderId);
  },

  updateOrder: (visit, { parameters: { orderId }, body }) => {
    const { world } = visit;
    const order = world.orders.get(orderId);
    if (!order) return notFound('orderId', orderId);
    const refusal = refuseItems(visit, order, body.items ?? []);
    if (refusal) return refusal;
    const updated: OrderRecord = {
      ...order,
      orderedAt: body.orderedAt ?? order.orderedAt,
      memberOriginId: body.memberOriginId ?? order.memberOriginId,
      // Null is a value here: no template was assigned (API 4.10).
      alimtalkTemplateCode:
        body.alimtalkTemplateCode === undefined ? order.alimtalkTemplateCode : body.alimtalkTemplateCode,
      buyer: body.buyer ? buyerRecord(body.buyer) : order.buyer,
      recipient: body.recipient ? recipientRecord(body.recipient) : order.recipient,
    };
    const put = () => {
      world.orders.put(updated);
      for (const item of body.items ?? []) putItem(visit, order, item);
    };
    return doneUpdate(visit.assumptions, { before: order, after: updated, put }, (record) =>
      orderDocument(visit, record),
    );
  },

  addOrderItem: (visit, { parameters: { orderId }, body }) => {
    const order = visit.world.orders.get(orderId);
    if (!order) return notFound('orderId', orderId);
    const creation = createOrderItem(visit, body, () => orderId);
    return creation.kind === 'problem' ? refusalOf(creation) : done(orderDocument(visit, order));
  },

  getOrderItem: (visit, { parameters: { orderId, orderItemId } }) => {
    const { world } = visit;
    if (!world.orders.get(orderId)) return notFound('orderId', orderId);
    const item = world.orderItems.get(orderItemId);
    return item?.orderId === orderId
      ? done(orderItemDocument(visit, item))
      : notFound('orderItemId', orderItemId);
  },

  updateOrderItem: (visit, { parameters: { orderItemId }, body }) => {
    const { world } = visit;
    const item = world.orderItems.get(orderItemId);
    if (!item) return notFound('orderItemId', orderItemId);
    const problem = productProblem(visit, body.productOriginId);
    if (problem) return refusalOf(problem);
    const after = changedItem(visit, item, body);
    const put = () => world.orderItems.put(after);
    return doneUpdate(visit.assumptions, { before: item, after, put }, (record) =>
      orderItemDocument(visit, record),
    );
  },

  bulkCreateOrderItems: (visit, { body, badEntries }) =>
    enqueueJobs(
      visit,
      body.map((entry) => ({
        originId: entry.originId,
        task: { kind: 'create-order-item', ...entry },
      })),
      badEntries,
    ),

  createOrders: (visit, { body, badEntries }) =>
    enqueueJobs(
      visit,
      body.map(({ items, ...order }) => ({
        originId: order.originId,
        task: {
          kind: 'create-order',
          order: {
            originId: order.originId,
            orderedAt: order.orderedAt,
            memberOriginId: order.memberOriginId ?? null,
            alimtalkTemplateCode: order.alimtalkTemplateCode ?? null,
            buyer: order.buyer ? buyerRecord(order.buyer) : null,
            recipient: order.recipient ? recipientRecord(order.recipient) : null,
          },
          items,
        },
      })),
      badEntries,
    ),
};

/** The item of this order with that originId, if there is one. */
function itemOf({ world }: Visit, order: OrderRecord, originId: string): OrderItemRecord | undefined {
  return world.orderItems.find('originId', originId).find((item) => item.orderId === order.id);
}

/**
 * The items of an order update are added or, where the order has an item of the originId, updated; others stay. So the
 * same update may be sent twice (API 4.10 shows no meaning).
 */
function putItem(visit: Visit, order: OrderRecord, input: OrderItemInput): void {
  const known = itemOf(visit, order, input.originId);
  if (known) visit.world.orderItems.put(changedItem(visit, known, input));
  else putNewItem(visit, input, order.id);
}

/** The item with what `productProblem` has nothing against. */
function changedItem(
  { world }: Visit,
  item: OrderItemRecord,
  { productOriginId, ...details }: Omit<OrderItemInput, 'originId'>,
): OrderItemRecord {
  const product = world.products.first('originId', productOriginId);
  return { ...item, productId: product?.id ?? item.productId, ...withDetails(item, details) };
}

function refuseItems(
  visit: Visit,
  order: OrderRecord,
  items: readonly OrderItemInput[],
): Refused | undefined {
  for (const [index, item] of items.entries()) {
    const problem = itemOf(visit, order, item.originId)
      ? productProblem(visit, item.productOriginId)
      : newItemProblem(visit, item);
    if (problem) return refusalOf(problem, ['items', index]);
  }
  return undefined;
}

type Input<R> = { readonly [K in keyof R]?: string | undefined };

function buyerRecord({ name, phone, email }: Input<BuyerRecord>): BuyerRecord {
  return { name: name ?? null, phone: phone ?? null, email: email ?? null };
}

function recipientRecord({ name, phone }: Input<RecipientRecord>): RecipientRecord {
  return { name: name ?? null, phone: phone ?? null };
}
