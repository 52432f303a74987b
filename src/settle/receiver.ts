import { hash, timingSafeEqual } from 'node:crypto';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import * as z from 'zod';
import type { Clock } from '../base/clock.ts';
import { isJsonObject, type Json } from '../base/json.ts';
import { reward } from '../contract/resources.ts';
import type { CalledReward, WebhookAnswers } from './answer-webhook.ts';
import type { Peers } from './peers.ts';

/** The longest body of a call, in bytes; a Reward takes less than one. */
const bodyMaximum = 64 * 1024;
/** How long a caller may take to send its request, in milliseconds; the service waits 10 s for the answer. */
const requestDefaultMs = 5_000;
/** How often slow callers are looked for, in milliseconds. */
const slowCheckMs = 250;

/** One call that was answered, for the log. Never carries the path, which is secret. */
export interface AnsweredCall {
  readonly status: number;
  readonly tookMs: number;
  /** The address of the connection. */
  readonly peer: string;
  readonly rewardId?: string;
  readonly message: string;
}

export interface ReceiverOptions {
  readonly answers: WebhookAnswers;
  readonly peers: Peers;
  /** The last part of the address: `/rewards/<path secret>`. */
  readonly pathSecret: string;
  /** What is wrong with the receiver, in words; undefined while all is well. */
  readonly health: () => Promise<string | undefined>;
  /** The text of `/metrics`; without it there is none. */
  readonly metrics?: () => Promise<string>;
  readonly onAnswered: (call: AnsweredCall) => void;
  readonly clock: Clock;
  readonly requestMs?: number;
}

interface Environment {
  readonly Bindings: HttpBindings;
  readonly Variables: { message: string; rewardId?: string };
}

/**
 * The server that takes the reward webhook (API 6), not yet listening. Every answer is `{"message"}`; what is not a well-formed call from an allowed
 * peer to the secret path is refused before anything is looked at: 403 for a foreign peer, 404, 405, 415, 413, 400, 408.
 */
export function createReceiver(options: ReceiverOptions) {
  const { peers, pathSecret, answers, requestMs = requestDefaultMs } = options;
  const app = new Hono<Environment>();
  app.use(logged(options));
  app.get('/healthz', async (context) => {
    const trouble = await options.health();
    return context.json({ message: trouble ?? 'ok' }, trouble === undefined ? 200 : 503);
  });
  app.use(async (context, next) => {
    const { remoteAddress } = context.env.incoming.socket;
    if (peers.isAllowed(remoteAddress, context.req.header('x-forwarded-for'))) return next();
    return refuse(context, 403, 'this address may not call here');
  });
  const { metrics } = options;
  if (metrics !== undefined) app.get('/metrics', async (context) => context.text(await metrics()));
  app.use('/rewards/:secret', async (context, next) => {
    if (!isSame(context.req.param('secret'), pathSecret))
      return refuse(context, 404, 'there is nothing here');
    if (context.req.method !== 'POST') return refuse(context, 405, 'only POST is taken here');
    if (!/^application\/json\b/i.test(context.req.header('content-type') ?? '')) {
      return refuse(context, 415, 'expected application/json');
    }
    return next();
  });
  app.post(
    '/rewards/:secret',
    bodyLimit({ maxSize: bodyMaximum, onError: (context) => refuse(context, 413, 'the body is too long') }),
    async (context) => {
      const called = readReward(await context.req.text());
      if (called === undefined) return refuse(context, 400, 'the body is no Reward');
      context.set('rewardId', called.value.id);
      const { status, message } = await answers.answer(called);
      context.set('message', message);
      return context.json({ message }, status);
    },
  );
  app.notFound((context) => refuse(context, 404, 'there is nothing here'));
  app.onError((_error, context) => refuse(context, 400, 'the request could not be read'));
  return createAdaptorServer({
    fetch: app.fetch,
    serverOptions: {
      requestTimeout: requestMs,
      headersTimeout: requestMs,
      connectionsCheckingInterval: slowCheckMs,
    },
  });
}

function logged({ clock, onAnswered }: ReceiverOptions): MiddlewareHandler<Environment> {
  return async (context, next) => {
    const startedMs = clock.now();
    await next();
    if (context.req.path === '/healthz' || context.req.path === '/metrics') return;
    const rewardId = context.get('rewardId');
    onAnswered({
      status: context.res.status,
      tookMs: clock.now() - startedMs,
      peer: context.env.incoming.socket.remoteAddress ?? '',
      ...(rewardId === undefined ? {} : { rewardId }),
      message: context.get('message') ?? '',
    });
  };
}

function refuse(
  context: Parameters<MiddlewareHandler>[0],
  status: 400 | 403 | 404 | 405 | 413 | 415,
  message: string,
): Response {
  context.set('message', message);
  return context.json({ message }, status);
}

/** Takes as long for a near miss as for a far one. */
function isSame(given: string, secret: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', secret, 'buffer'));
}

function readReward(text: string): CalledReward | undefined {
  let sent: Json;
  try {
    sent = JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
  if (!isJsonObject(sent)) return undefined;
  const read = z.safeDecode(reward, sent as never);
  return read.success ? { value: read.data, sent } : undefined;
}
