import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { onTestFinished } from 'vitest';

/** A product as a shop holds it. */
interface Held {
  readonly id: string;
  readonly originId: string;
  readonly name: string;
  readonly heldAtMs: number;
}

/** How a shop answers a request, beside what the document says; undefined for as the document says. */
export type Whim = (request: {
  readonly method: string;
  readonly path: string;
  /** How many requests of its method and path there have been, itself included. */
  readonly count: number;
  /** Milliseconds since the first request. */
  readonly atMs: number;
}) => WhimOf | undefined;

interface WhimOf {
  /** Whether it does what is asked before it answers. */
  readonly isDone: boolean;
  /** Undefined to cut the connection. */
  readonly answer?: {
    readonly status: number;
    readonly headers?: Record<string, string>;
    readonly body?: string;
  };
}

/**
 * A service of plain node:http that takes every product and order item, twice too, and answers by whim. Its lists show
 * a product `lagMs` after it was created.
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
  const counts = new Map<string, number>();
  let firstMs: number | undefined;
  const nowMs = () => {
    firstMs ??= performance.now();
    return performance.now() - firstMs;
  };
  const create = ({ originId, name }: { readonly originId: string; readonly name: string }) => {
    const product = { id: `${products.length + 1}`, originId, name, heldAtMs: nowMs() };
    products.push(product);
    return product;
  };
  const take = (entries: readonly { readonly originId: string }[]) =>
    entries.map(({ originId }) => {
      items.push(originId);
      return { jobId: `J${items.length}`, entryOriginId: originId };
    });
  const list = (query: URLSearchParams) => {
    const asked = query.getAll('originIds');
    const isShown = ({ originId, heldAtMs }: Held) =>
      (asked.length === 0 || asked.includes(originId)) && heldAtMs + lagMs <= nowMs();
    const data = products.filter(isShown).map(({ id, originId, name }) => ({ id, originId, name }));
    const first = Number(query.get('first') ?? 30);
    return {
      totalCount: data.length,
      data: data.slice(0, first),
      pageInfo: { hasNextPage: data.length > first, endCursor: null },
    };
  };
  const server = createServer((incoming, outgoing) => {
    void bodyOf(incoming).then((body) => {
      const { method = '', url = '' } = incoming;
      const { pathname: path, searchParams } = new URL(url, 'http://shop');
      const key = `${method} ${path}`;
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      const whimOf = whim({ method, path, count, atMs: nowMs() });
      const done = () => {
        if (key === 'POST /admin/v2/product') return create(JSON.parse(body));
        if (key === 'POST /admin/v2/order-items/bulk') return take(JSON.parse(body));
        if (key === 'GET /admin/v2/products') return list(searchParams);
        return key.startsWith('GET') ? { totalCount: 0, data: [], pageInfo: { hasNextPage: false } } : {};
      };
      const reply = whimOf?.isDone === false ? undefined : done();
      if (whimOf === undefined) outgoing.end(JSON.stringify(reply));
      else if (whimOf.answer === undefined) outgoing.destroy();
      else refuse(outgoing, whimOf.answer);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const copies = (ids: readonly string[]) => ids.length - new Set(ids).size;
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    originIds: () => products.map(({ originId }) => originId),
    items: () => items,
    /** How many products and order items it has more than once. */
    doubles: () => copies(products.map(({ originId }) => originId)) + copies(items),
  };
}

function refuse(
  outgoing: ServerResponse,
  { status, headers = {}, body = '' }: NonNullable<WhimOf['answer']>,
): void {
  outgoing.writeHead(status, headers).end(body);
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
