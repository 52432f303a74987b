import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { type Assumptions, defaultAssumptions } from '../contract/assumptions.ts';
import type { WireReply } from '../contract/wire.ts';
import { decodeCall, type RawRequest } from './api/decode.ts';
import { htmlPage, replyTo } from './api/reply.ts';
import { findRoute, type Match, type Route } from './api/router.ts';
import { controlPrefix } from './control/control-table.ts';
import type { Faults, InjectedFault } from './faults/faults.ts';
import { runDueJobs } from './jobs/jobs.ts';
import type { ListLag } from './state/list-lag.ts';
import { type RefusedRequest, type RequestOutcome, refused } from './state/outcome.ts';
import { type RequestContext, timestamp } from './state/request-context.ts';
import type { State } from './state/state.ts';

/** Maximum length of a request body, in bytes. */
export const bodyMaximum = 10 * 1024 * 1024;

/** Delay of the fault `latency`, in milliseconds. */
const slownessMs = 1_000;

/** Retry-After of a throttled request, in seconds. */
const retryAfterSeconds = 1;

/** The answer to a request, for the transport to send. */
export type SandboxAnswer =
  | { readonly kind: 'reply'; readonly reply: WireReply }
  /** The connection is reset instead. */
  | { readonly kind: 'reset' }
  /** The connection ends after `length` bytes of the reply's body. */
  | { readonly kind: 'torn'; readonly reply: WireReply; readonly length: number }
  /** No reply. */
  | { readonly kind: 'stall' };

interface EngineParts {
  readonly state: State;
  readonly faults: Faults;
  readonly listLag: ListLag;
  readonly routes: readonly Route[];
  readonly token: string;
  readonly assumptions: Assumptions;
  readonly clock: Clock;
  readonly jobDelayMs: number;
  readonly latencyMs: number;
}

/**
 * Processes every request, in process or over a socket: route, fault, credential, decoding, handler, persistence,
 * reply. Writes are durable before the reply that acknowledges them.
 */
export class Engine {
  readonly #parts: EngineParts;
  readonly #credential: Buffer;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#credential = digest(parts.token);
  }

  async answer(request: RawRequest): Promise<SandboxAnswer> {
    const lastIdAtArrival = this.#parts.state.lastId;
    const route = findRoute(this.#parts.routes, request.method, request.path);
    if (isControl(request)) {
      const outcome = this.#outcome(route, request, lastIdAtArrival);
      return { kind: 'reply', reply: replyTo(request.method, outcome, defaultAssumptions) };
    }
    const injected = this.#parts.faults.draw();
    await this.#wait(injected);
    const before = faultBefore(injected);
    if (before) return before;
    const outcome = this.#outcome(route, request, lastIdAtArrival);
    return faultAfter(injected, replyTo(request.method, outcome, this.#parts.assumptions));
  }

  /** Runs all due jobs, then `work` on the state, and makes the writes durable. */
  transact<T>(work: (context: RequestContext) => T, lastIdAtArrival = this.#parts.state.lastId): T {
    const { state, listLag, assumptions, clock, jobDelayMs } = this.#parts;
    const lastIdBefore = state.lastId;
    const nowMs = clock.now();
    const listedId = listLag.listedId();
    const context = {
      state,
      assumptions,
      now: timestamp(nowMs),
      nowMs,
      jobDelayMs,
      lastIdAtArrival,
      listedId,
    };
    const result = state.transact(() => {
      runDueJobs(context);
      return work(context);
    });
    if (state.lastId > lastIdBefore) listLag.noteCreation(state.lastId);
    return result;
  }

  // Awaited even without a delay, so that overlapping requests can interleave.
  async #wait({ isSlow }: InjectedFault): Promise<void> {
    const ms = this.#parts.latencyMs + (isSlow ? slownessMs : 0);
    if (ms > 0) await this.#parts.clock.sleep(ms);
  }

  #outcome(route: Match | RefusedRequest, request: RawRequest, lastIdAtArrival: number): RequestOutcome {
    if (route.kind === 'refused') return route;
    if (!this.#isAuthenticated(request)) {
      return refused('unauthenticated', [
        { loc: ['header', 'authorization'], msg: 'not a valid credential', type: 'unauthenticated' },
      ]);
    }
    if (Buffer.byteLength(request.body ?? '') > bodyMaximum) {
      return refused('too-large', [
        { loc: ['body'], msg: `more than ${bodyMaximum} bytes`, type: 'too_large' },
      ]);
    }
    const { row, handler } = route.route;
    const decoded = decodeCall(row, route.parameters, request, this.#parts.assumptions);
    if (decoded.kind === 'refused') return decoded;
    // The cast is safe: the row that decoded the call also types the handler.
    return this.transact((context) => handler(context, decoded.value as never), lastIdAtArrival);
  }

  #isAuthenticated({ headers }: RawRequest): boolean {
    // The scheme is case-insensitive (RFC 9110, 11.1).
    const [, token = ''] = /^basic +(?! )(.*)$/i.exec(headers['authorization'] ?? '') ?? [];
    return timingSafeEqual(digest(token), this.#credential);
  }
}

function isControl({ path }: RawRequest): boolean {
  return path.startsWith(controlPrefix);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function faultBefore({ fault, chance }: InjectedFault): SandboxAnswer | undefined {
  switch (fault) {
    case 'throttle':
      return errorReply(429, 'too many requests', { 'retry-after': String(retryAfterSeconds) });
    case 'error':
      return chance < 0.5 ? errorReply(500, 'internal error') : errorReply(503, 'service unavailable');
    case 'reset-before':
      return { kind: 'reset' };
    default:
      return undefined;
  }
}

function faultAfter({ fault, chance }: InjectedFault, reply: WireReply): SandboxAnswer {
  switch (fault) {
    case 'error-after':
      return errorReply(500, 'internal error');
    case 'reset-after':
      return { kind: 'reset' };
    case 'torn':
      return { kind: 'torn', reply, length: Math.floor(chance * Buffer.byteLength(reply.body)) };
    case 'stall':
      return { kind: 'stall' };
    case 'wrong-type': {
      const headers = { 'content-type': 'text/html; charset=utf-8' };
      return { kind: 'reply', reply: { status: 200, headers, body: htmlPage(200, 'please sign in') } };
    }
    default:
      return { kind: 'reply', reply };
  }
}

function errorReply(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): SandboxAnswer {
  const body = JSON.stringify({ detail: message });
  return {
    kind: 'reply',
    reply: { status, headers: { 'content-type': 'application/json', ...headers }, body },
  };
}
