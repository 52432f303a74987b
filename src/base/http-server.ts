import type { Server } from 'node:http';
import { Failure, messageOf } from './failure.ts';

/** The address a server listens on; port 0 chooses a free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Length of the accept queue, if the system allows it; clients beyond it must retry. */
const connectionsWaiting = 4_096;

/**
 * Starts listening; resolves with scheme, host and port. `words` are the user's names of port and host.
 * @throws Failure('usage') if the address cannot be used.
 */
export async function listenOn(
  server: Server,
  { host, port }: ListenAddress,
  words: Readonly<Record<keyof ListenAddress, string>>,
): Promise<string> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, host, backlog: connectionsWaiting }, resolve);
    });
  } catch (error) {
    throw new Failure(
      'usage',
      `cannot listen on ${host}:${port}: ${messageOf(error)}`,
      `choose another port with ${words.port}, or 0 for a free one; and an address of this machine with ${words.host}`,
      { cause: error },
    );
  }
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}

/** Accepts no new connections, and destroys those still open after `ms` milliseconds. */
export async function closeWithin(server: Server, ms: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  const giveUp = setTimeout(() => server.closeAllConnections(), ms);
  await closed;
  clearTimeout(giveUp);
}
