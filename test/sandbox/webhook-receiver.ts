import { once } from 'node:events';
import { serveHttp } from '../client/loopback.ts';

/** What the receiver answers; undefined is never to answer. */
export interface ReceiverAnswer {
  readonly status: number;
  readonly body?: string;
}

/** A client's webhook endpoint until the test ends; `answer` is asked with the number of the call, from 1. */
export async function openReceiver(
  answer: (call: number) => ReceiverAnswer | undefined = () => ({ status: 200 }),
) {
  const { url, seen, server } = await serveHttp((_, outgoing) => {
    const given = answer(seen.length);
    if (given) outgoing.writeHead(given.status).end(given.body);
    server.emit('received');
  });
  return {
    url: `${url}/hooks/reward`,
    received: seen,
    /** Resolves when that many calls have come. */
    arrived: async (count: number) => {
      while (seen.length < count) await once(server, 'received');
    },
  };
}
