import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { Assumptions } from '../contract/assumptions.ts';
import type { WireReply } from '../contract/wire.ts';
import { decodeCall, type RawRequest } from './api/decode.ts';
import { htmlPage, replyTo } from './api/reply.ts';
import { findRoute, type Match, type Route } from './api/router.ts';
import { controlPrefix } from './control/control-table.ts';
import type { Faults, Misfortune } from './faults/faults.ts';
import { runDueJobs } from './jobs/jobs.ts';
import type { Journal } from './state/activity-log.ts';
import type { ListLag } from './state/list-lag.ts';
import { Listings } from './state/listings.ts';
import { type Outcome, type Refused, refused } from './state/outcome.ts';
import { timestamp, type Visit } from './state/request-context.ts';
import type { Change, World } from './state/state.ts';
import type { Storage } from './state/storage.ts';

/** The longest request body, in bytes. */
export const bodyMaximum = 10 * 1024 * 1024;

/** How much longer a request with the fault `latency` takes, in milliseconds. */
const slownessMs = 1_000;

/** What a throttled client is told to wait, in seconds. */
const retryAfterSeconds = 1;

/** What goes back to whoever sent a request. */
export type Answer =
  | { readonly kind: 'reply'; readonly reply: WireReply }
  /** The connection is reset instead. */
  | { readonly kind: 'reset' }
  /** The reply is cut after `length` bytes of its body, and the connection ends. */
  | { readonly kind: 'torn'; readonly reply: WireReply; readonly length: number }
  /** Nothing ever comes. */
  | { readonly kind: 'stall' };

export interface EngineParts {
  readonly world: World;
  readonly storage: Storage | undefined;
  readonly faults: Faults;
  readonly listLag: ListLag;
  readonly journal: Journal;
  readonly routes: readonly Route[];
  readonly token: string;
  readonly assumptions: Assumptions;
  readonly clock: Clock;
  readonly jobDelayMs: number;
  readonly latencyMs: number;
}

/**
 * The way of every request, whether it comes in process or over a socket: route, credential, misfortune, decoding,
 * handler, durability, reply. What a reply tells of is durable before the reply is given out.
 */
export class Engine {
  readonly #parts: EngineParts;
  readonly #listings: Listings;
  readonly #credential: Buffer;
  /** What the visit under way has written. */
  #changes: Change[] = [];

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#listings = new Listings(parts.listLag);
    this.#credential = digest(parts.token);
    parts.world.watch((change) => {
      this.#changes.push(change);
      this.#listings.changed(change);
      parts.listLag.note(change);
    });
  }

  async answer(request: RawRequest): Promise<Answer> {
    const lastIdAtArrival = this.#parts.world.lastId;
    const route = findRoute(this.#parts.routes, request.method, request.path);
    if (isControl(request)) {
      return { kind: 'reply', reply: this.#carryOut(route, request, lastIdAtArrival) };
    }
    if (route.kind === 'match') this.#parts.journal.received(route.route.name);
    const misfortune = this.#parts.faults.draw();
    await this.#wait(misfortune);
    const before = faultBefore(misfortune);
    if (before) return before;
    return faultAfter(misfortune, this.#carryOut(route, request, lastIdAtArrival));
  }

  /** Looks at the world as it is now, with every due job carried out, and makes durable whatever `work` writes. */
  visit<T>(work: (visit: Visit) => T, lastIdAtArrival = this.#parts.world.lastId): T {
    const { world, storage, journal, assumptions, clock, jobDelayMs } = this.#parts;
    const nowMs = clock.now();
    const visit: Visit = {
      world,
      listings: this.#listings,
      assumptions,
      now: timestamp(nowMs),
      nowMs,
      jobDelayMs,
      lastIdAtArrival,
    };
    runDueJobs(visit);
    const result = work(visit);
    const changes = this.#changes;
    this.#changes = [];
    storage?.save(changes);
    journal.wrote(changes);
    return result;
  }

  // Even without a delay others get their turn here, as between any two requests that overlap.
  async #wait({ isSlow }: Misfortune): Promise<void> {
    const ms = this.#parts.latencyMs + (isSlow ? slownessMs : 0);
    if (ms > 0) await this.#parts.clock.sleep(ms);
  }

  #carryOut(route: Match | Refused, request: RawRequest, lastIdAtArrival: number): WireReply {
    const { assumptions } = this.#parts;
    return replyTo(request.method, this.#outcome(route, request, lastIdAtArrival), assumptions);
  }

  #outcome(route: Match | Refused, request: RawRequest, lastIdAtArrival: number): Outcome {
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
    const { name, row, handler } = route.route;
    const decoded = decodeCall(row, route.parameters, request, this.#parts.assumptions);
    if (decoded.kind === 'refused') return decoded;
    if (!isControl(request)) this.#parts.journal.carriedOut(name);
    // The call was decoded by the row the handler is typed by; this is the one place where both meet.
    return this.visit((visit) => handler(visit, decoded.value as never), lastIdAtArrival);
  }

  #isAuthenticated({ headers }: RawRequest): boolean {
    // The scheme is a word in any case (RFC 9110, 11.1).
    const [, token = ''] = /^basic +(.*)$/i.exec(headers['authorization'] ?? '') ?? [];
    return timingSafeEqual(digest(token), this.#credential);
  }
}

function isControl({ path }: RawRequest): boolean {
  return path.startsWith(controlPrefix);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function faultBefore({ fault, chance }: Misfortune): Answer | undefined {
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

function faultAfter({ fault, chance }: Misfortune, reply: WireReply): Answer {
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

function errorReply(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Answer {
  const body = JSON.stringify({ detail: message });
  return {
    kind: 'reply',
    reply: { status, headers: { 'content-type': 'application/json', ...headers }, body },
  };
}
