import type { Api } from '../../client/caller.ts';
import { ServiceFailure } from '../../client/service-failure.ts';
import type { Order } from '../../contract/resources.ts';

/** The order with this id of the service (API 4.9); undefined if it shows none. @throws ServiceFailure otherwise. */
export async function findOrder(api: Api, orderId: string): Promise<Order | undefined> {
  try {
    return (await api.call('getOrder', { params: { orderId } })).value;
  } catch (error) {
    const isNone =
      error instanceof ServiceFailure && (error.kind === 'not-found' || error.kind === 'refused');
    if (isNone) return undefined;
    throw error;
  }
}

/** The service's ids of the items of an order, by their originIds. */
export function itemIdsOf({ items }: Order): ReadonlyMap<string, string> {
  return new Map((items ?? []).flatMap(({ originId, id }) => (originId && id ? [[originId, id]] : [])));
}
