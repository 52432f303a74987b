import { performance } from 'node:perf_hooks';
import { pageOf, type Route, type Routes, standInShop } from './serve-stand-in.ts';

/** A product or an order item. */
interface Named {
  readonly originId: string;
  readonly name: string;
}

/** A product as the shop stores it. */
interface Held extends Named {
  readonly id: string;
  readonly heldAtMs: number;
}

/** Decides on an undocumented answer to a request; undefined for the documented one. */
export type Whim = (request: {
  readonly method: string;
  readonly path: string;
  /** Number of requests with its method and path so far, including this one. */
  readonly count: number;
  /** Milliseconds since the first request. */
  readonly atMs: number;
}) => WhimOf | undefined;

interface WhimOf {
  /** True if the request is carried out before the answer. */
  readonly isDone: boolean;
  /** Undefined to cut the connection. */
  readonly answer?: {
    readonly status: number;
    readonly headers?: Record<string, string>;
    readonly body?: string;
  };
}

/**
 * A stand-in that accepts every product and order item, even twice, and answers by `whim`. Its lists show a product
 * `lagMs` after its creation.
 */
export async function openFickleShop({
  whim = () => undefined,
  lagMs = 0,
}: {
  whim?: Whim;
  lagMs?: number;
} = {}) {
  const products: Held[] = [];
  const items: string[] = [];
  let firstMs: number | undefined;
  const nowMs = () => {
    firstMs ??= performance.now();
    return performance.now() - firstMs;
  };
  const routes: Routes = {
    'POST /admin/v2/product': ({ body }) => {
      const id = `${products.length + 1}`;
      products.push({ ...(body as unknown as Named), id, heldAtMs: nowMs() });
      return products.at(-1);
    },
    'POST /admin/v2/order-items/bulk': ({ body }) =>
      (body as unknown as readonly Named[]).map(({ originId }) => {
        items.push(originId);
        return { jobId: `J${items.length}`, entryOriginId: originId };
      }),
    'GET /admin/v2/products': ({ query }) => {
      const asked = query.getAll('originIds');
      const isShown = ({ originId, heldAtMs }: Held) =>
        (asked.length === 0 || asked.includes(originId)) && heldAtMs + lagMs <= nowMs();
      return pageOf(products.filter(isShown).slice(0, 100));
    },
    'GET /admin/v2/reviews': () => pageOf([]),
    'GET /admin/v2/rewards': () => pageOf([]),
  };
  const byWhim =
    (route: Route): Route =>
    (asked, outgoing) => {
      const { method, path } = asked;
      const whimOf = whim({ method, path, count: shop.countOf(`${method} ${path}`), atMs: nowMs() });
      const reply = whimOf?.isDone === false ? undefined : route(asked, outgoing);
      if (whimOf === undefined) return reply;
      const { status, headers = {}, body = '' } = whimOf.answer ?? {};
      return status === undefined ? outgoing.destroy() : outgoing.writeHead(status, headers).end(body);
    };
  const shop = await standInShop(
    Object.fromEntries(Object.entries(routes).map(([name, route]) => [name, byWhim(route)])),
  );
  const copies = (ids: readonly string[]) => ids.length - new Set(ids).size;
  return {
    ...shop,
    originIds: () => products.map(({ originId }) => originId),
    items: () => items,
    /** Number of products and order items that it has more than once. */
    doubles: () => copies(products.map(({ originId }) => originId)) + copies(items),
  };
}
