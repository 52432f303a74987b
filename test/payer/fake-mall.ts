import type { IncomingMessage, ServerResponse } from 'node:http';
import { serveHttp } from '../client/loopback.ts';

/** Responses of a mall to a payment. */
export type MallMood =
  | 'pays'
  | 'pays-and-times-out'
  | 'times-out'
  | 'knows-no-such-member'
  | 'knows-no-such-token';

/** A points API like that of a Cafe24 mall: no idempotency key, and searchable books. */
export async function fakeMall(token: string) {
  const points: Record<string, unknown>[] = [];
  let mood: MallMood = 'pays';
  const requests: string[] = [];
  const { url, seen } = await serveHttp((incoming, outgoing) => {
    requests.push(`${incoming.method} ${new URL(incoming.url ?? '', url).pathname}`);
    if (incoming.headers.authorization !== `Bearer ${token}` || mood === 'knows-no-such-token') {
      outgoing.writeHead(401).end('{"error":{"code":401,"message":"invalid token"}}');
    } else if (incoming.method === 'GET') list(incoming, outgoing);
    else pay(seen.at(-1)?.body ?? '', outgoing);
  });

  function list(incoming: IncomingMessage, outgoing: ServerResponse) {
    const query = new URL(incoming.url ?? '', url).searchParams;
    const found = points.filter(
      ({ member_id, order_id }) => member_id === query.get('member_id') && order_id === query.get('order_id'),
    );
    const isWhole = ['shop_no', 'start_date', 'end_date'].every((name) => query.has(name));
    if (!isWhole || query.get('case') !== 'AM') outgoing.writeHead(422).end();
    else outgoing.end(JSON.stringify({ points: found }));
  }

  function pay(body: string, outgoing: ServerResponse) {
    const { shop_no, request } = JSON.parse(body);
    if (shop_no !== 1 || request.type !== 'increase' || !/^\d+\.\d\d$/.test(request.amount)) {
      outgoing.writeHead(400).end();
    } else if (mood === 'knows-no-such-member') {
      outgoing.writeHead(422).end('{"error":{"code":422,"message":"no such member"}}');
    } else {
      if (mood !== 'times-out') points.push(request);
      outgoing.writeHead(mood === 'pays' ? 201 : 504).end(JSON.stringify({ point: request }));
    }
  }

  return {
    url,
    points,
    requests,
    setMood: (next: MallMood) => {
      mood = next;
    },
  };
}
