import { invalid, type RefusedRequest } from '../state/outcome.ts';
import type {
  BulkItemEntry,
  OrderItemInput,
  StoredCategory,
  StoredItemDetails,
  StoredOrder,
  StoredOrderItem,
} from '../state/records.ts';
import type { RequestContext } from '../state/request-context.ts';

/*
 * Creation of records, with the same rules for single operations and bulk jobs. Each function checks before it writes,
 * so an invalid record has no effect.
 */

/** Why a record cannot be created; `field` is the invalid field of the input. */
interface CreationProblem {
  readonly kind: 'problem';
  readonly field: 'originId' | 'productOriginId' | 'parentOriginId';
  readonly msg: string;
  readonly type: 'duplicate' | 'not_found';
}

export type Creation<R> = { readonly kind: 'created'; readonly record: R } | CreationProblem;

/** The problem as a refusal; `place` is the path from the body to the invalid object. */
export function refusalOf(
  { field, msg, type }: CreationProblem,
  place: readonly (string | number)[] = [],
): RefusedRequest {
  return invalid(['body', ...place, field], msg, type);
}

/** The problem of a known originId, unless the assumption `duplicateOriginId` accepts it. */
export function duplicateProblem(
  { assumptions }: RequestContext,
  what: string,
  { originId, isKnown }: { readonly originId: string; readonly isKnown: boolean },
): CreationProblem | undefined {
  if (assumptions.duplicateOriginId === 'accept' || !isKnown) return undefined;
  const msg = `${what} with the originId ${originId} already exists`;
  return { kind: 'problem', field: 'originId', msg, type: 'duplicate' };
}

function unknownProblem(field: CreationProblem['field'], what: string, originId: string): CreationProblem {
  return { kind: 'problem', field, msg: `no ${what} has the originId ${originId}`, type: 'not_found' };
}

interface CategoryInput {
  readonly originId: string;
  readonly name: string;
  readonly isVisible: boolean;
  readonly position: number;
  readonly parentOriginId?: string | undefined;
  readonly isReviewDisabled: boolean;
}

export function createCategory(
  context: RequestContext,
  { parentOriginId, ...input }: CategoryInput,
): Creation<StoredCategory> {
  const { categories } = context.state;
  const { originId } = input;
  const isKnown = categories.has('originId', originId);
  const duplicate = duplicateProblem(context, 'a category', { originId, isKnown });
  if (duplicate) return duplicate;
  const parentId = parentOriginId === undefined ? null : categories.idOf('originId', parentOriginId);
  if (parentOriginId !== undefined && parentId === undefined) {
    return unknownProblem('parentOriginId', 'category', parentOriginId);
  }
  const record = { id: context.state.nextId(), ...input, parentId: parentId ?? null };
  categories.put(record);
  return { kind: 'created', record };
}

type DetailsRecord = Pick<StoredOrderItem, keyof StoredItemDetails>;

const noDetails: DetailsRecord = { status: null, selectedOptions: [], paidPrice: null, shipment: null };

/** Updates `known` with `given`. Missing fields stay unchanged; a shipment is replaced as a whole. */
export function withDetails(known: DetailsRecord, given: StoredItemDetails): DetailsRecord {
  const { shipment } = given;
  return {
    status: given.status ?? known.status,
    selectedOptions: given.selectedOptions ?? known.selectedOptions,
    paidPrice: given.paidPrice ?? known.paidPrice,
    shipment: shipment
      ? {
          companyCode: shipment.companyCode ?? null,
          trackingNumber: shipment.trackingNumber ?? null,
          deliveredAt: shipment.deliveredAt ?? null,
        }
      : known.shipment,
  };
}

/** Creates an item of the order `orderId()`, which is called only if the item is valid. */
export function createOrderItem(
  context: RequestContext,
  input: OrderItemInput,
  orderId: () => string,
): Creation<StoredOrderItem> {
  const problem = newItemProblem(context, input);
  return problem ?? { kind: 'created', record: putNewItem(context, input, orderId()) };
}

/**
 * Creates an order with all of its items, or nothing. An originId that two of the items share is also a duplicate.
 */
export function createOrder(
  context: RequestContext,
  order: Omit<StoredOrder, 'id'>,
  items: readonly OrderItemInput[],
): Creation<StoredOrder> {
  const { orders } = context.state;
  const { originId } = order;
  const isKnown = orders.has('originId', originId);
  const problem =
    duplicateProblem(context, 'an order', { originId, isKnown }) ?? firstItemProblem(context, items);
  if (problem) return problem;
  const record = { id: context.state.nextId(), ...order };
  orders.put(record);
  for (const item of items) putNewItem(context, item, record.id);
  return { kind: 'created', record };
}

/**
 * The id of the order with this originId. The document has no operation that creates orders, so an order is created
 * with its first item (API 4.14).
 */
export function orderIdFor({ state, now }: RequestContext, originId: string): string {
  const known = state.orders.idOf('originId', originId);
  if (known !== undefined) return known;
  const id = state.nextId();
  state.orders.put({
    id,
    originId,
    orderedAt: now,
    memberOriginId: null,
    alimtalkTemplateCode: null,
    buyer: null,
    recipient: null,
  });
  return id;
}

function firstItemProblem(
  context: RequestContext,
  items: readonly OrderItemInput[],
): CreationProblem | undefined {
  const earlier = new Set<string>();
  for (const item of items) {
    const problem = newItemProblem(context, item, earlier.has(item.originId));
    if (problem) return problem;
    earlier.add(item.originId);
  }
  return undefined;
}

/** Why an item cannot be created. `isRepeated` is true if its originId occurs earlier in the same request. */
export function newItemProblem(
  context: RequestContext,
  { originId, productOriginId }: BulkItemEntry,
  isRepeated = false,
): CreationProblem | undefined {
  const isKnown = isRepeated || context.state.orderItems.has('originId', originId);
  return (
    duplicateProblem(context, 'an order item', { originId, isKnown }) ??
    productProblem(context, productOriginId)
  );
}

export function productProblem({ state }: RequestContext, originId: string): CreationProblem | undefined {
  if (state.products.has('originId', originId)) return undefined;
  return unknownProblem('productOriginId', 'product', originId);
}

/** Stores a new item that `newItemProblem` accepted. */
export function putNewItem(
  { state }: RequestContext,
  input: OrderItemInput,
  orderId: string,
): StoredOrderItem {
  const record: StoredOrderItem = {
    id: state.nextId(),
    originId: input.originId,
    orderId,
    productId: state.products.idOf('originId', input.productOriginId) ?? '',
    ...withDetails(noDetails, input),
  };
  state.orderItems.put(record);
  return record;
}
