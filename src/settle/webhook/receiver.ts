import { hash, timingSafeEqual } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Clock } from '../../base/clock.ts';
import { systemCodeOf } from '../../base/failure.ts';
import type { WebhookAnswers } from './answer-webhook.ts';
import type { CallerAllowlist } from './caller-allowlist.ts';
import { type ConnectionLimits, defaultConnectionLimits, limitConnections } from './connection-limits.ts';
import { readReward } from './read-reward.ts';

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

interface Environment {
  readonly Bindings: HttpBindings;
  readonly Variables: {
    arrivedMs: number;
    caller?: string | undefined;
    message: string;
    detail?: string | undefined;
    rewardId?: string;
  };
}

type Call = Context<Environment>;

/**
 * The server of the reward webhook (API 6), not yet listening. Every response is `{"message"}`. Anything but
 * a well-formed call from an allowed caller to the secret path is refused before its content is used: 403 for
 * a foreign caller, then 404, 405, 415, 413, 400, 408.
 */
export function createReceiver(options: ReceiverOptions): Server {
  const { metrics, requestMs = requestDefaultMs } = options;
  const app = new Hono<Environment>();
  app.use(ending(options));
  app.get('/healthz', async (call) => {
    const trouble = await options.health();
    return call.json({ message: trouble ?? 'ok' }, trouble === undefined ? 200 : 503);
  });
  app.use(logged(options), fromAllowed(options.allowlist));
  if (metrics !== undefined) {
    app.get('/metrics', async (call) =>
      call.body(await metrics(), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }),
    );
  }
  app.use('/rewards/:secret', wellAddressed(options.pathSecret));
  app.post('/rewards/:secret', limitedBody(), (call) => answerCall(call, options.answers));
  app.notFound((call) => refuse(call, 404, 'there is nothing here'));
  app.onError((_error, call) =>
    call.env.incoming.complete
      ? refuse(call, 500, 'an inner failure')
      : refuse(call, 408, 'the request was incomplete'),
  );
  const listener = getRequestListener(app.fetch, {
    errorHandler: () => Response.json({ message: 'the request could not be read' }, { status: 400 }),
  });
  const times = {
    requestTimeout: requestMs,
    headersTimeout: requestMs,
    connectionsCheckingInterval: requestMs / slowChecks,
    keepAliveTimeout: idleMs,
  };
  const server = createServer(times, (incoming, outgoing) => void listener(incoming, outgoing));
  limitConnections(server, (peer) => options.allowlist.isKnown(peer), {
    ...defaultConnectionLimits,
    ...options.limits,
  });
  server.on('clientError', refuseUnread);
  return server;
}

/** Once the receiver is stopping, each connection closes with its response. */
function ending({ stopping }: ReceiverOptions): MiddlewareHandler<Environment> {
  return async (call, next) => {
    await next();
    if (stopping.aborted) call.header('connection', 'close');
  };
}

function logged({ clock, onAnswered }: ReceiverOptions): MiddlewareHandler<Environment> {
  return async (call, next) => {
    const arrivedMs = clock.monotonicMs();
    call.set('arrivedMs', arrivedMs);
    call.set('message', '');
    await next();
    if (call.req.path === '/metrics' && call.res.ok) return;
    const { caller, message, detail, rewardId } = call.var;
    onAnswered({
      status: call.res.status,
      tookMs: Math.round(clock.monotonicMs() - arrivedMs),
      peer: call.env.incoming.socket.remoteAddress ?? '',
      caller,
      message,
      ...(rewardId === undefined ? {} : { rewardId }),
      ...(detail === undefined ? {} : { detail }),
    });
  };
}

function fromAllowed(allowlist: CallerAllowlist): MiddlewareHandler<Environment> {
  return async (call, next) => {
    const { address, isAllowed, doubt } = allowlist.callerOf(
      call.env.incoming.socket.remoteAddress,
      call.req.header('x-forwarded-for'),
    );
    call.set('caller', address);
    call.set('detail', doubt);
    return isAllowed ? next() : refuse(call, 403, 'this address may not call here');
  };
}

function wellAddressed(pathSecret: string): MiddlewareHandler<Environment> {
  return async (call, next) => {
    const { method } = call.req;
    if (!isSame(call.req.param('secret') ?? '', pathSecret))
      return refuse(call, 404, 'there is nothing here');
    if (method !== 'POST') {
      call.header('allow', 'POST');
      return refuse(call, 405, 'only POST is taken here');
    }
    if (!/^application\/json\s*(?:;|$)/i.test(call.req.header('content-type') ?? '')) {
      return refuse(call, 415, 'expected application/json');
    }
    return next();
  };
}

/**
 * A body of a declared, allowed length is read straight off the connection: the general reader takes as long
 * as the rest of a call.
 */
function limitedBody(): MiddlewareHandler<Environment> {
  const limited = bodyLimit({
    maxSize: bodyMaximum,
    onError: (call) => refuse(call, 413, 'the body is too long'),
  });
  return async (call, next) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = call.env.incoming.headers;
    return encoding === undefined && Number(length) <= bodyMaximum ? next() : limited(call, next);
  };
}

async function answerCall(call: Call, answers: WebhookAnswers): Promise<Response> {
  const called = readReward(await call.req.arrayBuffer());
  if (called === undefined) return refuse(call, 400, 'the body is no Reward');
  call.set('rewardId', called.value.id);
  const { status, message, detail } = await answers.answer(called, call.var.arrivedMs);
  call.set('message', message);
  call.set('detail', detail);
  return call.json({ message }, status);
}

function refuse(
  call: Context,
  status: 400 | 403 | 404 | 405 | 408 | 413 | 415 | 500,
  message: string,
): Response {
  call.set('message', message);
  return call.json({ message }, status);
}

/**
 * Responds to requests that were malformed or incomplete in time, and closes even if the other side does not.
 */
function refuseUnread(error: Error, socket: Duplex): void {
  const isSlow = systemCodeOf(error) === 'ERR_HTTP_REQUEST_TIMEOUT';
  const status = isSlow ? '408 Request Timeout' : '400 Bad Request';
  const body = JSON.stringify({
    message: isSlow ? 'the request did not come in time' : 'the request could not be read',
  });
  const head =
    `HTTP/1.1 ${status}\r\nconnection: close\r\n` +
    `content-type: application/json\r\ncontent-length: ${body.length}`;
  if (!socket.writable) return void socket.destroy();
  socket.end(`${head}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

/** Takes the same time for a near miss and a far one. */
function isSame(given: string, secret: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', secret, 'buffer'));
}
