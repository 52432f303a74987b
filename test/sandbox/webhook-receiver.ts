import { once } from 'node:events';
import { serveHttp } from '../client/loopback.ts';

/** An answer of the receiver. */
export interface ReceiverAnswer {
  readonly status: number;
  readonly body?: string;
}

/**
 * Serves a client's webhook endpoint until the test ends. `answer` receives the number of the call, from 1, and returns
 * undefined to leave it unanswered.
 */
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
    /** Resolves once this number of calls has arrived. */
    arrived: async (count: number) => {
      while (seen.length < count) await once(server, 'received');
    },
  };
}
