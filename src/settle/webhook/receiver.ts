import { hash, timingSafeEqual } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { systemCodeOf } from '../../base/failure.ts';
import { closeWithin, type ListenAddress, listenOn } from '../../base/http-server.ts';
import type { WebhookAnswers } from './answer-webhook.ts';
import type { Caller, CallerAllowlist } from './caller-allowlist.ts';
import { type ConnectionLimits, defaultConnectionLimits, limitConnections } from './connection-limits.ts';
import { readReward } from './verify-webhook.ts';

/** The longest body of a call, in bytes; a Reward takes less than 1 KiB. */
const bodyMaximum = 64 * 1024;
/** How long a caller may take to send its request, in milliseconds; the service waits 10 s for the answer. */
const requestDefaultMs = 5_000;
/** The number of checks for slow callers within that time. */
const slowChecks = 20;
/**
 * How long an idle connection is kept, in milliseconds: longer than proxies keep theirs (nginx: 60 s), so
 * that none sends a call on a connection just closed.
 */
const idleMs = 75_000;
/** How long a refused caller may take to read the response, in milliseconds. */
const lingerMs = 1_000;
/** How long calls under way may take once the receiver is stopping: as long as the service waits. */
const closeMs = 10_000;

/** One answered call, for the log. Never has the path, which is secret. */
export interface AnsweredCall {
  readonly status: number;
  readonly tookMs: number;
  /** The address of the connection. */
  readonly peer: string;
  /** The caller behind the connection, if trusted proxies name it. */
  readonly caller: string | undefined;
  readonly rewardId?: string;
  readonly message: string;
  /** Text for the log that the caller did not get. */
  readonly detail?: string;
}

export interface ReceiverOptions {
  readonly answers: WebhookAnswers;
  readonly allowlist: CallerAllowlist;
  /** The last part of the address: `/rewards/<path secret>`. */
  readonly pathSecret: string;
  /** The fault of the receiver, as text; undefined while it has none. */
  readonly health: () => Promise<string | undefined>;
  /** The text of `/metrics`; undefined if there is none. */
  readonly metrics?: () => Promise<string>;
  readonly onAnswered: (call: AnsweredCall) => void;
  readonly clock: Clock;
  /** Aborted when no further call is accepted: connections end with their response. */
  readonly stopping: AbortSignal;
  readonly requestMs?: number;
  readonly limits?: Partial<ConnectionLimits>;
}

interface ServedReceiver {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Accepts no further call, responds to those under way within a time limit, and finishes their payments. */
  close(): Promise<void>;
}

/**
 * Serves the reward webhook (API 6). Every response is `{"message"}`. Anything but a well-formed call from an allowed
 * caller to the secret path is refused before its content is used.
 * @throws Failure('usage') where the port cannot be used.
 */
export async function serveReceiver(
  options: ReceiverOptions,
  address: ListenAddress,
): Promise<ServedReceiver> {
  const server = createReceiver(options);
  return {
    origin: await listenOn(server, address),
    close: async () => {
      await closeWithin(server, closeMs);
      await options.answers.idle();
    },
  };
}

function createReceiver(options: ReceiverOptions): Server {
  const { allowlist, requestMs = requestDefaultMs, limits } = options;
  const times = {
    requestTimeout: requestMs,
    headersTimeout: requestMs,
    connectionsCheckingInterval: requestMs / slowChecks,
    keepAliveTimeout: idleMs,
  };
  /** What was said to callers whose request could not be read to its end. */
  const refused: Refused = new WeakMap();
  const server = createServer(times, (incoming, outgoing) => {
    // Without an answer, the service counts the reward as not paid.
    respond({ incoming, outgoing, refused }, options).catch(() => outgoing.destroy());
  });
  limitConnections(server, (peer) => allowlist.isKnown(peer), { ...defaultConnectionLimits, ...limits });
  server.on('clientError', (error, socket) => refuseUnread(error, socket, refused));
  return server;
}

type Refused = WeakMap<Duplex, Reply>;

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly refused: Refused;
}

/** A request whose head has arrived. */
interface Call {
  readonly incoming: IncomingMessage;
  readonly refused: Refused;
  readonly path: string;
  readonly caller: Caller;
}

/** A response, and what the log has besides. */
interface Reply {
  readonly status: number;
  readonly message: string;
  readonly detail?: string | undefined;
  readonly rewardId?: string;
}

type Refusal = Reply & { readonly isFor: (call: Call, pathSecret: string) => boolean };

/** Why a call is refused by its head, in this order. */
const refusals: readonly Refusal[] = [
  { status: 403, message: 'this address may not call here', isFor: ({ caller }) => !caller.isAllowed },
  {
    status: 404,
    message: 'there is nothing here',
    isFor: ({ path }, pathSecret) => !isSame(secretIn(path), pathSecret),
  },
  { status: 405, message: 'only POST is taken here', isFor: ({ incoming }) => incoming.method !== 'POST' },
  {
    status: 415,
    message: 'expected application/json',
    isFor: ({ incoming: { headers } }) =>
      !/^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? ''),
  },
];

async function respond({ incoming, outgoing, refused }: Exchange, options: ReceiverOptions): Promise<void> {
  const { allowlist, clock, health, metrics, onAnswered, stopping } = options;
  const arrivedMs = clock.monotonicMs();
  const [path = ''] = (incoming.url ?? '').split('?');
  const isRead = incoming.method === 'GET' || incoming.method === 'HEAD';
  const peer = incoming.socket.remoteAddress;
  const end = (status: number, body: string, type = 'application/json') => {
    if (stopping.aborted) outgoing.setHeader('connection', 'close');
    if (status === 405) outgoing.setHeader('allow', 'POST');
    outgoing.writeHead(status, { 'content-type': type }).end(body);
  };
  const say = (status: number, message: string) => end(status, JSON.stringify({ message }));
  if (isRead && path === '/healthz') {
    const trouble = await health().catch(() => innerFailure.message);
    return say(trouble === undefined ? 200 : 503, trouble ?? 'ok');
  }
  const caller = allowlist.callerOf(
    peer,
    [incoming.headers['x-forwarded-for']].flat().join(',') || undefined,
  );
  if (isRead && path === '/metrics' && metrics !== undefined && caller.isAllowed) {
    const text = await metrics().catch(() => undefined);
    return text === undefined
      ? say(innerFailure.status, innerFailure.message)
      : end(200, text, 'text/plain; version=0.0.4; charset=utf-8');
  }
  const reply = await replyTo({ incoming, refused, path, caller }, arrivedMs, options).catch(
    () => innerFailure,
  );
  const { status, message, rewardId, detail = caller.doubt } = reply;
  onAnswered({
    status,
    tookMs: Math.round(clock.monotonicMs() - arrivedMs),
    peer: peer ?? '',
    caller: caller.address,
    message,
    ...(rewardId === undefined ? {} : { rewardId }),
    ...(detail === undefined ? {} : { detail }),
  });
  say(status, message);
}

const innerFailure: Reply = { status: 500, message: 'an inner failure' };

async function replyTo(
  call: Call,
  arrivedMs: number,
  { answers, pathSecret }: ReceiverOptions,
): Promise<Reply> {
  const refusal = refusals.find(({ isFor }) => isFor(call, pathSecret));
  if (refusal !== undefined) return refusal;
  const body = await readBody(call.incoming);
  if (body === 'too-long') return { status: 413, message: 'the body is too long' };
  if (body === 'incomplete')
    return call.refused.get(call.incoming.socket) ?? { status: 408, message: 'the request was incomplete' };
  const reward = readReward(body);
  if (reward === undefined) return { status: 400, message: 'the body is no Reward' };
  return { ...(await answers.answer(reward, arrivedMs)), rewardId: reward.value.id };
}

/** What of a body is too long is not kept; the server reads on, so that the caller can read its answer. */
function readBody(incoming: IncomingMessage): Promise<Buffer | 'too-long' | 'incomplete'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    incoming.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > bodyMaximum) resolve('too-long');
      else chunks.push(chunk);
    });
    incoming.once('end', () => resolve(Buffer.concat(chunks)));
    incoming.once('close', () => resolve('incomplete'));
    incoming.once('error', () => resolve('incomplete'));
  });
}

/** Empty where the path is not that of the webhook. */
function secretIn(path: string): string {
  const [, secret = ''] = /^\/rewards\/([^/]+)$/.exec(path) ?? [];
  try {
    return decodeURIComponent(secret);
  } catch {
    return '';
  }
}

/**
 * Responds to requests that were malformed or incomplete in time, and closes even if the other side does not.
 */
function refuseUnread(error: Error, socket: Duplex, refused: Refused): void {
  const reply =
    systemCodeOf(error) === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? { status: 408, message: 'the request did not come in time' }
      : { status: 400, message: 'the request could not be read' };
  const body = JSON.stringify({ message: reply.message });
  const head =
    `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status]}\r\nconnection: close\r\n` +
    `content-type: application/json\r\ncontent-length: ${body.length}`;
  if (!socket.writable) return void socket.destroy();
  refused.set(socket, reply);
  socket.end(`${head}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

/** Takes the same time for a near miss and a far one. */
function isSame(given: string, secret: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', secret, 'buffer'));
}
