import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { messageOf } from '../base/failure.ts';
import { closeWithin, listenOn } from '../base/http-server.ts';
import { bodyMaximum, type SandboxAnswer } from './engine.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts';

export interface ServeOptions extends SandboxOptions {
  /** Port to listen on; 0 chooses a free one. */
  readonly port: number;
  readonly host?: string;
}

export interface ServedSandbox {
  /** Scheme, host and port, to which the paths of the service are appended. */
  readonly baseUrl: string;
  readonly token: string;
  readonly sandbox: Sandbox;
  /** Stops accepting requests, waits for running ones within a time limit, and closes the data file. */
  close(): Promise<void>;
}

/** Time limit for running requests when the sandbox stops, in milliseconds. */
const closeMs = 1_000;

/** Time for which a stalled request stays open, in milliseconds. */
export const stallMs = 120_000;

/** Idle timeout of connections, in milliseconds. It is long, so that a client rarely uses one that was just closed. */
const keepAliveMs = 60_000;

/** Serves a sandbox over HTTP. @throws Failure if the data file or the port cannot be used. */
export async function serveSandbox({
  port,
  host = '127.0.0.1',
  ...options
}: ServeOptions): Promise<ServedSandbox> {
  const sandbox = await createSandbox(options);
  const server = createServer((incoming, outgoing) => {
    handle(sandbox, incoming, outgoing).catch((error: unknown) => {
      if (!outgoing.headersSent) outgoing.writeHead(500, { 'content-type': 'text/plain' });
      outgoing.end(messageOf(error));
    });
  });
  server.keepAliveTimeout = keepAliveMs;
  const baseUrl = await listenOn(server, { host, port }, { port: '--port', host: '--host' }).catch(
    async (error: unknown) => {
      await sandbox.close();
      throw error;
    },
  );
  return {
    baseUrl,
    token: sandbox.token,
    sandbox,
    close: async () => {
      await closeWithin(server, closeMs);
      await sandbox.close();
    },
  };
}

async function handle(sandbox: Sandbox, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const body = await readBody(incoming);
  const answer = await sandbox.answer({
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: singleHeaders(incoming),
    body,
  });
  outgoing.setHeader('date', new Date(sandbox.clock.now()).toUTCString());
  give(answer, incoming, outgoing);
}

function singleHeaders({ headers }: IncomingMessage): Record<string, string | undefined> {
  const { authorization, 'content-type': contentType } = headers;
  return { authorization, 'content-type': contentType };
}

/** Reads the body as text, and stops once it is too long. */
async function readBody(incoming: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of incoming.iterator({ destroyOnReturn: false })) {
    pieces.push(piece);
    length += piece.length;
    if (length > bodyMaximum) break;
  }
  return length === 0 ? undefined : Buffer.concat(pieces).toString();
}

function give(answer: SandboxAnswer, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { socket } = incoming;
  switch (answer.kind) {
    case 'reply': {
      const { status, headers, body } = answer.reply;
      // With part of the body unread, the connection cannot carry another request.
      const connection = incoming.complete ? {} : { connection: 'close' };
      outgoing.writeHead(status, { ...headers, ...connection, 'content-length': Buffer.byteLength(body) });
      outgoing.end(body);
      return;
    }
    case 'reset':
      socket.resetAndDestroy();
      return;
    case 'torn': {
      const { status, headers, body } = answer.reply;
      outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
      outgoing.write(Buffer.from(body).subarray(0, answer.length), () => socket.destroySoon());
      return;
    }
    case 'stall':
      socket.setTimeout(stallMs, () => socket.destroy());
  }
}
