import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CountingServer {
  readonly baseUrl: string;
  /** Number of requests so far. */
  count(): number;
  close(): Promise<void>;
}

/** Starts a server that answers every request with `status` and counts the requests. */
export async function startCountingServer(status = 500): Promise<CountingServer> {
  let count = 0;
  const server = createServer((_, response) => {
    count += 1;
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    count: () => count,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
