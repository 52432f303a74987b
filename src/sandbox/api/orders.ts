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
import { done, doneUpdate, found, notFound, type RefusedRequest } from '../state/outcome.ts';
import type {
  OrderItemInput,
  StoredBuyer,
  StoredOrder,
  StoredOrderItem,
  StoredRecipient,
} from '../state/records.ts';
import type { RequestContext } from '../state/request-context.ts';

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
  getOrder: (context, { parameters: { orderId } }) =>
    found(context, context.state.orders.get(orderId), ['orderId', orderId], orderDocument),

  updateOrder: (context, { parameters: { orderId }, body }) => {
    const { state } = context;
    const order = state.orders.get(orderId);
    if (!order) return notFound('orderId', orderId);
    const refusal = refuseItems(context, order, body.items ?? []);
    if (refusal) return refusal;
    const updated: StoredOrder = {
      ...order,
      orderedAt: body.orderedAt ?? order.orderedAt,
      memberOriginId: body.memberOriginId ?? order.memberOriginId,
      // Null is a value here: it assigns no template (API 4.10).
      alimtalkTemplateCode:
        body.alimtalkTemplateCode === undefined ? order.alimtalkTemplateCode : body.alimtalkTemplateCode,
      buyer: body.buyer ? buyerRecord(body.buyer) : order.buyer,
      recipient: body.recipient ? recipientRecord(body.recipient) : order.recipient,
    };
    const put = () => {
      state.orders.put(updated);
      for (const item of body.items ?? []) putItem(context, order, item);
    };
    return doneUpdate(context, { before: order, after: updated, put }, orderDocument);
  },

  addOrderItem: (context, { parameters: { orderId }, body }) => {
    const order = context.state.orders.get(orderId);
    if (!order) return notFound('orderId', orderId);
    const creation = createOrderItem(context, body, () => orderId);
    return creation.kind === 'problem' ? refusalOf(creation) : done(orderDocument(context, order));
  },

  getOrderItem: (context, { parameters: { orderId, orderItemId } }) => {
    const { state } = context;
    if (!state.orders.get(orderId)) return notFound('orderId', orderId);
    const item = state.orderItems.get(orderItemId);
    return item?.orderId === orderId
      ? done(orderItemDocument(context, item))
      : notFound('orderItemId', orderItemId);
  },

  updateOrderItem: (context, { parameters: { orderItemId }, body }) => {
    const { state } = context;
    const item = state.orderItems.get(orderItemId);
    if (!item) return notFound('orderItemId', orderItemId);
    const problem = productProblem(context, body.productOriginId);
    if (problem) return refusalOf(problem);
    const after = changedItem(context, item, body);
    const put = () => state.orderItems.put(after);
    return doneUpdate(context, { before: item, after, put }, orderItemDocument);
  },

  bulkCreateOrderItems: (context, { body, badEntries }) =>
    enqueueJobs(
      context,
      body.map((entry) => ({
        originId: entry.originId,
        task: { kind: 'create-order-item', ...entry },
      })),
      badEntries,
    ),

  createOrders: (context, { body, badEntries }) =>
    enqueueJobs(
      context,
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

/** The item with this originId in this order. */
function itemOf(
  { state }: RequestContext,
  order: StoredOrder,
  originId: string,
): StoredOrderItem | undefined {
  return state.orderItems.find('originId', originId).find((item) => item.orderId === order.id);
}

/**
 * Adds an item of an order update, or updates the order's item with the same originId. Other items stay. So the same
 * update may be sent twice (API 4.10 does not define this).
 */
function putItem(context: RequestContext, order: StoredOrder, input: OrderItemInput): void {
  const known = itemOf(context, order, input.originId);
  if (known) context.state.orderItems.put(changedItem(context, known, input));
  else putNewItem(context, input, order.id);
}

/** Applies an update that `productProblem` accepted to an item. */
function changedItem(
  { state }: RequestContext,
  item: StoredOrderItem,
  { productOriginId, ...details }: Omit<OrderItemInput, 'originId'>,
): StoredOrderItem {
  const productId = state.products.idOf('originId', productOriginId) ?? item.productId;
  return { ...item, productId, ...withDetails(item, details) };
}

function refuseItems(
  context: RequestContext,
  order: StoredOrder,
  items: readonly OrderItemInput[],
): RefusedRequest | undefined {
  for (const [index, item] of items.entries()) {
    const problem = itemOf(context, order, item.originId)
      ? productProblem(context, item.productOriginId)
      : newItemProblem(context, item);
    if (problem) return refusalOf(problem, ['items', index]);
  }
  return undefined;
}

type Input<R> = { readonly [K in keyof R]?: string | undefined };

function buyerRecord({ name, phone, email }: Input<StoredBuyer>): StoredBuyer {
  return { name: name ?? null, phone: phone ?? null, email: email ?? null };
}

function recipientRecord({ name, phone }: Input<StoredRecipient>): StoredRecipient {
  return { name: name ?? null, phone: phone ?? null };
}
