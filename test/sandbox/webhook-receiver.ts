import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** What the receiver answers; undefined is never to answer. */
export interface ReceiverAnswer {
  readonly status: number;
  readonly body?: string;
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** Resolves when that many calls have come. */
  readonly arrived: (count: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A client's webhook endpoint, on nothing but node:http, until the test ends; `answer` is asked with the number of the call, from 1. */
export async function openReceiver(
  answer: (call: number) => ReceiverAnswer | undefined = () => ({ status: 200 }),
): Promise<Receiver> {
  const received: Received[] = [];
  const waiting = new Set<{ readonly count: number; readonly resolve: () => void }>();
  const server = createServer((incoming, outgoing) => {
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      received.push({ method, path: url, headers, body: Buffer.concat(pieces).toString() });
      const given = answer(received.length);
      if (given) outgoing.writeHead(given.status).end(given.body);
      for (const { count, resolve } of waiting) if (received.length >= count) resolve();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  return {
    url: `http://127.0.0.1:${port}/hooks/reward`,
    received,
    arrived: (count) =>
      new Promise((resolve) => {
        if (received.length >= count) resolve();
        else waiting.add({ count, resolve });
      }),
    close,
  };
}
