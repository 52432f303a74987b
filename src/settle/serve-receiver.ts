import type { AddressInfo } from 'node:net';
import { Failure, messageOf } from '../base/failure.ts';
import { createReceiver, type ReceiverOptions } from './receiver.ts';

export interface ServedReceiver {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Takes no call from here on, answers those under way within a bound, and finishes what they began. */
  close(): Promise<void>;
}

/** How long calls under way may take once the receiver is told to stop, in milliseconds: as long as the service waits for them. */
const closeMs = 10_000;

/** @throws Failure('usage') where the port cannot be used. */
export async function serveReceiver(
  options: ReceiverOptions,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<ServedReceiver> {
  const server = createReceiver(options);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  }).catch((error: unknown) => {
    throw new Failure(
      'usage',
      `cannot listen on ${host}:${port}: ${messageOf(error)}`,
      'choose another port with --port, or 0 for a free one; and an address of this machine with --host',
      { cause: error },
    );
  });
  return {
    origin: originOf(server.address()),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      const giveUp = setTimeout(() => server.closeAllConnections(), closeMs);
      await closed;
      clearTimeout(giveUp);
      await options.answers.idle();
    },
  };
}

function originOf(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
