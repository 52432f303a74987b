import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { Payer } from '../../src/payer/payer.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { answerMs } from '../../src/sandbox/webhook/webhook.ts';
import type { Settlement } from '../../src/settle/flow/settlement.ts';
import { createWebhookAnswers, type WebhookAnswers } from '../../src/settle/webhook/answer-webhook.ts';
import { createAllowlist, parseNetwork } from '../../src/settle/webhook/caller-allowlist.ts';
import { type AnsweredCall, type ReceiverOptions, serveReceiver } from '../../src/settle/webhook/receiver.ts';
import { transportOf } from '../sandbox/in-process.ts';
import { ManualClock } from '../sandbox/manual-clock.ts';
import { requestOf } from '../sandbox/open-sandbox.ts';
import { openSettlement, type SettlementWorld, type WorldOptions } from './open-settlement.ts';

export const pathSecret = 'a-path-secret-of-test';

export interface Given {
  readonly status: number;
  readonly body: string;
}

/** A Reward as the service shows it. */
export type WaitingReward = JsonObject & { readonly id: string };

export type ReceiverWorld = Awaited<ReturnType<typeof openReceiver>>;

export interface ReceiverWorldOptions extends WorldOptions {
  readonly payer: Payer;
  readonly overrides?: Partial<Settlement>;
  readonly concurrency?: number;
  readonly allowed?: readonly string[];
  readonly trustedProxies?: readonly string[];
  readonly receiver?: Partial<
    Pick<ReceiverOptions, 'requestMs' | 'limits' | 'metrics' | 'health' | 'onAnswered'>
  > & {
    readonly answer?: WebhookAnswers['answer'];
  };
}

/** Short pauses end at once, and time-outs never do. */
class PatientClock implements Clock {
  now(): number {
    return Date.parse('2026-01-01T00:00:00Z');
  }

  monotonicMs(): number {
    return this.now();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms < answerMs) return Promise.resolve();
    return new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  }
}

/**
 * A receiver on a loopback port, with the real settlement, client and ledger, and a sandbox in process that calls it.
 */
export async function openReceiver({
  payer,
  overrides,
  concurrency = 8,
  allowed = ['127.0.0.1'],
  trustedProxies = [],
  receiver: { answer: given, ...receiver } = {},
  ...options
}: ReceiverWorldOptions) {
  const clock = new ManualClock();
  const stopping = new AbortController();
  const answered: AnsweredCall[] = [];
  const troubles: unknown[] = [];
  const arrivals = counter();
  const ends = counter();
  let answers: WebhookAnswers | undefined;
  const current = (): WebhookAnswers => answers as WebhookAnswers;
  const serve = (port: number) =>
    serveReceiver(
      {
        answers: {
          answer: (reward, arrivedMs) => {
            const answer = given?.(reward, arrivedMs) ?? current().answer(reward, arrivedMs);
            arrivals.add();
            return answer;
          },
          trouble: undefined,
          idle: () => current().idle(),
        },
        allowlist: createAllowlist({
          allowed: allowed.flatMap((text) => parseNetwork(text) ?? []),
          trustedProxies: trustedProxies.flatMap((text) => parseNetwork(text) ?? []),
        }),
        pathSecret,
        health: async () => current().trouble,
        onAnswered: (call) => {
          answered.push(call);
          ends.add();
        },
        clock,
        stopping: stopping.signal,
        ...receiver,
      },
      { host: '127.0.0.1', port },
    );
  let served = await serve(0);
  onTestFinished(() => served.close());
  const { origin } = served;
  const url = `${origin}/rewards/${pathSecret}`;
  const world = await openSettlement({ webhookUrl: url, ...options, clock: new PatientClock() });
  const answersOf = (by: Payer) =>
    createWebhookAnswers(world.settlement(by, { clock, stopping: stopping.signal, ...overrides }), {
      concurrency,
      onTrouble: (error) => troubles.push(error),
    });
  answers = answersOf(payer);
  return {
    ...world,
    origin,
    url,
    /** Everything that the receiver logged. */
    answered,
    troubles,
    /** The object that answers the calls now. */
    answers: current,
    /** Resolves once this number of calls has arrived in total. */
    arrived: (count: number) => arrivals.reached(count),
    /** Resolves once this number of calls is answered in total. */
    logged: (count: number) => ends.reached(count),
    ...timeOf(clock, world),
    /** Replaces the receiver by a new one at the same address, on the same ledger. */
    restart: async (by: Payer) => {
      await served.close();
      answers = answersOf(by);
      served = await serve(Number(new URL(origin).port));
    },
    /** Stops new work, as a signal does. */
    stop: () => stopping.abort(),
    close: () => served.close(),
    /** The queued rewards of members, as the service shows them. */
    waiting: () => waitingRewards(world.settlement(payer)),
    /** Writes reviews; the service calls the webhook for each. */
    writeReviews: (count: number) => writeReviews(world.sandbox, count),
    post: (body: unknown, headers?: Readonly<Record<string, string>>) => post(url, body, headers),
  };
}

/** The clock of the receiver's machine. */
function timeOf(clock: ManualClock, world: SettlementWorld) {
  const advance = (ms: number) => {
    void world.clock.sleep(ms);
    clock.advance(ms);
  };
  return {
    /** Advances the time of receiver, ledger and service together. */
    advance,
    setBack: (ms: number) => clock.setBack(ms),
    /** Advances time by each pause of at most `ms` that the receiver makes, until `work` has ended. */
    awakeUntil: async <T>(ms: number, work: Promise<T>) => {
      const over = work.then(() => true);
      while (!(await Promise.race([over, clock.asleep(ms).then(() => false)]))) advance(ms);
      return work;
    },
  };
}

async function waitingRewards({ service }: Settlement): Promise<readonly WaitingReward[]> {
  const documents: WaitingReward[] = [];
  for await (const page of service.queued()) {
    for (const { seen } of page) {
      if (seen.memberOriginId !== null) documents.push(JSON.parse(seen.document) as WaitingReward);
    }
  }
  return documents;
}

async function writeReviews(sandbox: Sandbox, count: number): Promise<readonly string[]> {
  const request = requestOf(sandbox.token, 'POST', '/sandbox/reviews', { count });
  const { body } = await transportOf(sandbox)(request);
  const written = JSON.parse(body) as readonly { readonly reward: { readonly id: string } }[];
  return written.map(({ reward }) => reward.id);
}

/** POSTs JSON, or a string unchanged, on a new connection, because a kept one may end with its receiver. */
export async function post(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Given> {
  const outgoing = request(url, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', ...headers },
  });
  outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: incoming.statusCode ?? 0, body: await text(incoming) };
}

/** Opens a connection on which a test can write anything, and reads it to the end. */
export async function dial(
  origin: string,
  localAddress = '127.0.0.1',
): Promise<{ socket: Socket; end: Promise<string> }> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ port: Number(port), host: hostname, localAddress });
  const pieces: Buffer[] = [];
  socket.on('data', (piece: Buffer) => pieces.push(piece));
  socket.on('error', () => undefined);
  const end = new Promise<string>((resolve) => {
    socket.on('close', () => resolve(Buffer.concat(pieces).toString()));
  });
  await once(socket, 'connect');
  return { socket, end };
}

/** The request for one call, byte for byte. */
export function callText(body: string, headers: readonly string[] = []): string {
  return [
    `POST /rewards/${pathSecret} HTTP/1.1`,
    'host: receiver',
    'content-type: application/json',
    ...headers,
    '',
    body,
  ].join('\r\n');
}

/** A gate at which calls wait until it is opened. */
export function createGate(): { readonly passed: () => Promise<void>; readonly open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed: () => opened, open };
}

/** Counts, and resolves once a number is reached. */
export function counter(): { add(): void; reached(count: number): Promise<void> } {
  const watchers = new Set<{ readonly count: number; readonly resolve: () => void }>();
  let total = 0;
  return {
    add: () => {
      total += 1;
      for (const { count, resolve } of watchers) if (total >= count) resolve();
    },
    reached: (count) =>
      new Promise((resolve) => {
        if (total >= count) resolve();
        else watchers.add({ count, resolve });
      }),
  };
}
