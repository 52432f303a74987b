import { hash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import { closeWithin, type ListenAddress, listenOn } from '../../base/http-server.ts';
import type { WebhookAnswers } from './answer-webhook.ts';
import type { Caller, CallerAllowlist } from './caller-allowlist.ts';
import { type ConnectionLimits, defaultConnectionLimits, limitConnections } from './connection-limits.ts';
import { readReward } from './verify-webhook.ts';

/** The maximum body of a call, in bytes. A Reward takes less than 1 KiB. */
const bodyMaximum = 64 * 1024;
/** The time limit for receiving a request, in milliseconds. The service waits 10 s for the response. */
const requestDefaultMs = 5_000;
/** The number of checks for slow callers within that time limit. */
const slowChecks = 20;
/**
 * The lifetime of an idle connection, in milliseconds. It exceeds that of proxies (nginx: 60 s), so that none of them
 * sends a call on a connection that was just closed.
 */
const idleMs = 75_000;
/** The time limit for a refused caller to read the response, in milliseconds. */
const lingerMs = 1_000;
/** The time limit for calls under way when the receiver stops, in milliseconds: as long as the service waits. */
const closeMs = 10_000;

/** One answered call, for the log. Omits the path, which is secret. */
export interface AnsweredCall {
  readonly status: number;
  readonly tookMs: number;
  /** The remote address of the connection. */
  readonly peer: string;
  /** The caller behind the connection, if a trusted proxy names it. */
  readonly caller: string | undefined;
  readonly rewardId?: string;
  readonly message: string;
  /** Text for the log that is not sent to the caller. */
  readonly detail?: string;
}

export interface ReceiverOptions {
  readonly answers: WebhookAnswers;
  readonly allowlist: CallerAllowlist;
  /** The last segment of the path: `/rewards/<path secret>`. */
  readonly pathSecret: string;
  /** A description of the receiver's fault; undefined if it is healthy. */
  readonly health: () => Promise<string | undefined>;
  /** The text of `/metrics`; undefined if metrics are off. */
  readonly metrics?: () => Promise<string>;
  readonly onAnswered: (call: AnsweredCall) => void;
  readonly clock: Clock;
  /** Aborted when no more calls are accepted: each connection closes after its response. */
  readonly stopping: AbortSignal;
  readonly requestMs?: number;
  readonly limits?: Partial<ConnectionLimits>;
}

/**
 * Serves the reward webhook (API 6). Every response is `{"message"}`, except to input that is not HTTP or does not
 * arrive in time. Refuses anything but a well-formed call from an allowed caller to the secret path, before using its
 * content.
 * @throws Failure('usage') if the port cannot be used.
 */
export async function serveReceiver(options: ReceiverOptions, address: ListenAddress) {
  const server = createReceiver(options);
  return {
    /** Scheme, host and port. */
    origin: await listenOn(server, address, { port: '-c port=N', host: '-c host=HOST' }),
    /** Accepts no more calls, responds to those under way within a time limit, and finishes their payments. */
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
  const server = createServer(times, (incoming, outgoing) => {
    // Without a response, the service counts the reward as not paid.
    respond({ incoming, outgoing }, options).catch(() => outgoing.destroy());
  });
  limitConnections(server, (peer) => allowlist.isKnown(peer), { ...defaultConnectionLimits, ...limits });
  return server;
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** A request whose head has arrived. */
interface Call {
  readonly incoming: IncomingMessage;
  readonly path: string;
  readonly caller: Caller;
}

/** A response, and additional fields for the log. */
interface Reply {
  readonly status: number;
  readonly message: string;
  readonly detail?: string | undefined;
  readonly rewardId?: string;
}

type Refusal = Reply & { readonly isFor: (call: Call, pathSecret: string) => boolean };

const tooLong: Reply = { status: 413, message: 'the body is too long' };

/** The refusals that depend on the request head only, in this order. */
const refusals: readonly Refusal[] = [
  { status: 403, message: 'this address may not call here', isFor: ({ caller }) => !caller.isAllowed },
  {
    status: 404,
    message: 'there is nothing here',
    isFor: ({ path }, pathSecret) => !isSame(secretIn(path), pathSecret),
  },
  { status: 405, message: 'only POST is allowed here', isFor: ({ incoming }) => incoming.method !== 'POST' },
  {
    status: 415,
    message: 'expected application/json',
    isFor: ({ incoming: { headers } }) =>
      !/^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? ''),
  },
  { ...tooLong, isFor: ({ incoming: { headers } }) => Number(headers['content-length']) > bodyMaximum },
];

async function respond(exchange: Exchange, options: ReceiverOptions): Promise<void> {
  const { incoming } = exchange;
  const { allowlist, clock, health, metrics, onAnswered, stopping } = options;
  const arrivedMs = clock.monotonicMs();
  // The request target may include scheme and host (RFC 9112 3.2.2).
  const [path = ''] = (incoming.url ?? '').replace(/^https?:\/\/[^/?]*/i, '').split('?');
  const isRead = incoming.method === 'GET' || incoming.method === 'HEAD';
  const peer = incoming.socket.remoteAddress;
  if (isRead && path === '/healthz') {
    const message = await health().catch(() => innerFailure.message);
    return send(exchange, { status: message === undefined ? 200 : 503, message: message ?? 'ok' }, stopping);
  }
  const caller = allowlist.callerOf(peer, incoming.headers['x-forwarded-for']?.toString());
  const isMetrics = isRead && path === '/metrics' && metrics !== undefined && caller.isAllowed;
  const text = isMetrics ? await metrics().catch(() => undefined) : undefined;
  if (text !== undefined) return send(exchange, { status: 200, message: '', text }, stopping);
  const reply = isMetrics
    ? innerFailure
    : await replyTo({ incoming, path, caller }, arrivedMs, options).catch(() => innerFailure);
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
  send(exchange, reply, stopping);
}

/**
 * Sends a response. If the request has not arrived in full, its connection is closed after the rest has come, or after
 * a while: callers do not read a response from a connection closed during their request.
 */
function send(
  { incoming, outgoing }: Exchange,
  reply: Reply & { readonly text?: string },
  stopping: AbortSignal,
): void {
  const { status, message, text } = reply;
  const isWhole = incoming.complete;
  const body = text ?? JSON.stringify({ message });
  const type = text === undefined ? 'application/json' : 'text/plain; version=0.0.4; charset=utf-8';
  if (stopping.aborted || !isWhole) outgoing.setHeader('connection', 'close');
  if (status === 405) outgoing.setHeader('allow', 'POST');
  outgoing.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  if (isWhole) return void outgoing.end(body);
  outgoing.write(body);
  incoming.resume().once('end', () => outgoing.end());
  setTimeout(() => outgoing.end(), lingerMs).unref();
}

const innerFailure: Reply = { status: 500, message: 'an internal error' };

async function replyTo(
  call: Call,
  arrivedMs: number,
  { answers, pathSecret }: ReceiverOptions,
): Promise<Reply> {
  const refusal = refusals.find(({ isFor }) => isFor(call, pathSecret));
  if (refusal !== undefined) return refusal;
  const body = await readBody(call.incoming);
  if (body === 'too-long') return tooLong;
  if (body === 'incomplete') return { status: 408, message: 'the request was incomplete' };
  const reward = readReward(body);
  if (reward === undefined) return { status: 400, message: 'the body is not a Reward' };
  const answer = await answers.answer(reward, arrivedMs).catch(() => innerFailure);
  return { ...answer, rewardId: reward.value.id };
}

/** Reads a body, but keeps no more than the maximum. */
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

/** The secret in a webhook path; empty for any other path. */
function secretIn(path: string): string {
  const [, secret = ''] = /^\/rewards\/([^/]+)$/.exec(path) ?? [];
  try {
    return decodeURIComponent(secret);
  } catch {
    return '';
  }
}

/** Compares in constant time: a near miss takes as long as any other. */
function isSame(given: string, secret: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', secret, 'buffer'));
}
