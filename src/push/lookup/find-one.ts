import type { Failure } from '../../base/failure.ts';
import type { Api } from '../../client/caller.ts';
import { ServiceFailure } from '../../client/service-failure.ts';
import type { Order, OrderItem, Product } from '../../contract/resources.ts';

/** The product with this id of the service (API 4.3); undefined if there is none. @throws ServiceFailure otherwise. */
export async function findProduct(api: Api, productId: string): Promise<Product | undefined> {
  return shownBy(api.call('getProduct', { params: { productId } }), 'not-found');
}

/** The order item with these ids (API 4.12). @throws as `findProduct`. */
export async function findItem(
  api: Api,
  orderId: string,
  orderItemId: string,
): Promise<OrderItem | undefined> {
  return shownBy(api.call('getOrderItem', { params: { orderId, orderItemId } }), 'not-found');
}

/** The order with this id (API 4.9). @throws as `findProduct`. */
export async function findOrder(api: Api, orderId: string): Promise<Order | undefined> {
  return shownBy(api.call('getOrder', { params: { orderId } }), 'not-found', 'refused');
}

async function shownBy<T>(
  call: Promise<{ readonly value: T }>,
  ...none: readonly Failure['kind'][]
): Promise<T | undefined> {
  try {
    return (await call).value;
  } catch (error) {
    if (error instanceof ServiceFailure && none.includes(error.kind)) return undefined;
    throw error;
  }
}

/** The service's ids of the items of an order, by originId. */
export function itemIdsOf({ items }: Order): ReadonlyMap<string, string> {
  return new Map((items ?? []).flatMap(({ originId, id }) => (originId && id ? [[originId, id]] : [])));
}
