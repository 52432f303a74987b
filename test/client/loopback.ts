import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { openPool, type PoolOptions } from '../../src/client/pool.ts';
import { TransportError, type WireReply } from '../../src/contract/wire.ts';

/** A request as received on the socket. */
export interface SeenRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answer = (incoming: IncomingMessage, outgoing: ServerResponse, request: SeenRequest) => void;

/** Serves HTTP on loopback until the test ends; `seen` collects every complete request. */
export async function serveHttp(answer: Answer) {
  const seen: SeenRequest[] = [];
  const server = createHttpServer((incoming, outgoing) => {
    let body = '';
    incoming.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    incoming.on('end', () => {
      const { method, url, headers } = incoming;
      const request = { method, url, headers, body };
      seen.push(request);
      answer(incoming, outgoing, request);
    });
  });
  return { ...(await listen(server)), server, seen };
}

/** Passes each connection on loopback to `talk` until the test ends. */
export async function serveSockets(talk: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    talk(socket);
  });
  return { ...(await listen(server)), server };
}

/** An address on this machine without a listener. */
export async function deadAddress(): Promise<string> {
  const server = createServer();
  const { host } = await listen(server);
  server.close();
  await once(server, 'close');
  return host;
}

/** Listens on loopback until the test ends. */
export async function listen(server: Server) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, url: `http://${host}`, sockets };
}

/** A pool to `url` that is closed when the test ends. */
export async function poolTo(url: string, options: Partial<PoolOptions> = {}) {
  const pool = await openPool(new URL(url), {
    timeoutMs: 10_000,
    replyBytesMaximum: 1_000_000,
    env: {},
    ...options,
  });
  onTestFinished(() => pool.close());
  return pool;
}

/** The error of a request that must not be answered. */
export async function lossOf(
  reply: Promise<WireReply>,
): Promise<Pick<TransportError, 'message' | 'wasSent'>> {
  const error = await reply.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof TransportError)) throw new Error(`no TransportError: ${String(error)}`);
  return { message: error.message, wasSent: error.wasSent };
}
