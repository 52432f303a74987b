import { invalid, type Refused } from '../state/outcome.ts';
import type {
  BulkItemEntry,
  CategoryRecord,
  OrderItemDetails,
  OrderItemInput,
  OrderItemRecord,
  OrderRecord,
} from '../state/records.ts';
import type { Visit } from '../state/request-context.ts';

/*
 * How records come to be, by a single operation or by a bulk job: the same rules for both. Each function checks first
 * and writes last, so a problem leaves nothing behind.
 */

/** Why a record cannot be created; `field` is the input at fault. */
export interface Problem {
  readonly kind: 'problem';
  readonly field: 'originId' | 'productOriginId' | 'parentOriginId';
  readonly msg: string;
  readonly type: 'duplicate' | 'not_found';
}

export type Creation<R> = { readonly kind: 'created'; readonly record: R } | Problem;

/** The problem as a refusal; `place` leads from the body to the object at fault. */
export function refusalOf({ field, msg, type }: Problem, place: readonly (string | number)[] = []): Refused {
  return invalid(['body', ...place, field], msg, type);
}

/** Assumption `duplicateOriginId`: whether one more `what` of an originId is a problem. */
export function duplicateProblem(
  { assumptions }: Visit,
  what: string,
  { originId, isKnown }: { readonly originId: string; readonly isKnown: boolean },
): Problem | undefined {
  if (assumptions.duplicateOriginId === 'accept' || !isKnown) return undefined;
  const msg = `${what} with the originId ${originId} exists already`;
  return { kind: 'problem', field: 'originId', msg, type: 'duplicate' };
}

function unknownProblem(field: Problem['field'], what: string, originId: string): Problem {
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
  visit: Visit,
  { parentOriginId, ...input }: CategoryInput,
): Creation<CategoryRecord> {
  const { categories } = visit.world;
  const { originId } = input;
  const isKnown = categories.has('originId', originId);
  const duplicate = duplicateProblem(visit, 'a category', { originId, isKnown });
  if (duplicate) return duplicate;
  const parent = parentOriginId === undefined ? undefined : categories.first('originId', parentOriginId);
  if (parentOriginId !== undefined && !parent) {
    return unknownProblem('parentOriginId', 'category', parentOriginId);
  }
  const record = { id: visit.world.nextId(), ...input, parentId: parent?.id ?? null };
  categories.put(record);
  return { kind: 'created', record };
}

type DetailsRecord = Pick<OrderItemRecord, keyof OrderItemDetails>;

const noDetails: DetailsRecord = { status: null, selectedOptions: [], paidPrice: null, shipment: null };

/** `known` with what `given` says; what it leaves out stays. A shipment is replaced as a whole. */
export function withDetails(known: DetailsRecord, given: OrderItemDetails): DetailsRecord {
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

/** Creates an item of the order that `orderId` names, which is asked for only when the item is in order. */
export function createOrderItem(
  visit: Visit,
  input: OrderItemInput,
  orderId: () => string,
): Creation<OrderItemRecord> {
  const problem = newItemProblem(visit, input);
  return problem ?? { kind: 'created', record: putNewItem(visit, input, orderId()) };
}

/**
 * Creates an order with its items, all or nothing. `null` for a field of the order is no value. An originId given
 * twice among the items is a duplicate like any other.
 */
export function createOrder(
  visit: Visit,
  order: Omit<OrderRecord, 'id'>,
  items: readonly OrderItemInput[],
): Creation<OrderRecord> {
  const { orders } = visit.world;
  const { originId } = order;
  const isKnown = orders.has('originId', originId);
  const problem =
    duplicateProblem(visit, 'an order', { originId, isKnown }) ?? firstItemProblem(visit, items);
  if (problem) return problem;
  const record = { id: visit.world.nextId(), ...order };
  orders.put(record);
  for (const item of items) putNewItem(visit, item, record.id);
  return { kind: 'created', record };
}

/**
 * The order of that originId, made when there is none: the document has no operation that creates orders, so an order
 * comes into being with its first item (API 4.14).
 */
export function orderIdFor({ world, now }: Visit, originId: string): string {
  const known = world.orders.first('originId', originId);
  if (known) return known.id;
  const id = world.nextId();
  world.orders.put({
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

function firstItemProblem(visit: Visit, items: readonly OrderItemInput[]): Problem | undefined {
  const earlier = new Set<string>();
  for (const item of items) {
    const problem = newItemProblem(visit, item, earlier.has(item.originId));
    if (problem) return problem;
    earlier.add(item.originId);
  }
  return undefined;
}

/** What keeps an item from being created; `isRepeated` when the same request names its originId before. */
export function newItemProblem(
  visit: Visit,
  { originId, productOriginId }: BulkItemEntry,
  isRepeated = false,
): Problem | undefined {
  const isKnown = isRepeated || visit.world.orderItems.has('originId', originId);
  return (
    duplicateProblem(visit, 'an order item', { originId, isKnown }) ?? productProblem(visit, productOriginId)
  );
}

export function productProblem({ world }: Visit, originId: string): Problem | undefined {
  if (world.products.has('originId', originId)) return undefined;
  return unknownProblem('productOriginId', 'product', originId);
}

/** Stores a new item that `newItemProblem` has nothing against. */
export function putNewItem({ world }: Visit, input: OrderItemInput, orderId: string): OrderItemRecord {
  const record: OrderItemRecord = {
    id: world.nextId(),
    originId: input.originId,
    orderId,
    productId: world.products.first('originId', input.productOriginId)?.id ?? '',
    ...withDetails(noDetails, input),
  };
  world.orderItems.put(record);
  return record;
}
