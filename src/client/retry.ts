import { type BackoffBounds, backoffMs } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { type Transport, TransportError, type WireReply, type WireRequest } from '../contract/wire.ts';

/** A request that will be sent again after a pause. */
interface Retry {
  readonly request: WireRequest;
  readonly reason: string;
  readonly pauseMs: number;
}

export interface RetryOptions {
  /** The maximum number of retries per request. */
  readonly retries: number;
  readonly clock: Clock;
  readonly random: Random;
  /** Once aborted, nothing is sent again, and no pause is awaited. */
  readonly stopping?: AbortSignal | undefined;
  /** Called before each pause, for traces and for the concurrency of pushes. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

const pauses: BackoffBounds = { firstMs: 100, longestMs: 10_000 };

/** The longest Retry-After to wait for within a run, in milliseconds. */
export const retryAfterLongestMs = 120_000;

/**
 * The shared retry budget of a run. Each request earns a fraction of a retry, so that a service in trouble does not get
 * a multiple of its usual load. Short runs use the initial budget.
 */
const budget = { atStart: 20, perRequest: 0.5, max: 100 } as const;

/**
 * Repeats a request if that is safe. Any request is repeated that provably never arrived, or was refused because there
 * were too many. A repeatable one is also repeated if its reply was lost, was a 5xx or 408, or was a success that is
 * not JSON, because a proxy sent a page of its own. A write that may have had its effect is not repeated. A request
 * that was one too many is repeated, outside the budget, as long as the service accepts others. Honours Retry-After, in
 * seconds or as a date. A stopping run gets the last reply or error. The result shows whether an earlier attempt may
 * have had its effect.
 */
export function withRetry(
  transport: Transport,
  { retries, clock, random, stopping, onRetry }: RetryOptions,
): Transport {
  let left: number = budget.atStart;
  /** The number of requests that the service has accepted. */
  let taken = 0;
  return async (request, signal) => {
    left = Math.min(budget.max, left + budget.perRequest);
    let takenBefore = taken;
    let loss: WireReply | TransportError | undefined;
    for (let attempt = 1; ; attempt += 1) {
      const result = await attemptOnce(transport, request, signal).catch((error: unknown) => {
        // The run stopped while this attempt waited for its turn: the previous one may have had its effect.
        if (loss === undefined || !stopping?.aborted) throw error;
        return loss;
      });
      const isTooMany = !(result instanceof TransportError) && result.isOverloaded === true;
      if (!isTooMany) taken += 1;
      if (isTooMany && taken > takenBefore) attempt = 1;
      takenBefore = taken;
      const reason = reasonToRepeat(request, result);
      const pauseMs = pauseBefore(attempt, result, clock, random);
      const isLast = attempt > retries || stopping?.aborted || (!isTooMany && left < 1);
      if (reason === undefined || pauseMs === undefined || isLast) return unwrap(result, loss !== undefined);
      if (!isTooMany && wasSent(result)) loss = result;
      if (!isTooMany) left -= 1;
      onRetry?.({ request, reason, pauseMs });
      await pause(clock, pauseMs, { signal, stopping });
      if (stopping?.aborted) return unwrap(result, loss !== undefined);
    }
  };
}

function unwrap(result: WireReply | TransportError, isAfterLoss: boolean): WireReply {
  if (!(result instanceof TransportError))
    return isAfterLoss && result.status >= 300 ? { ...result, isAfterLoss } : result;
  if (result.wasSent || !isAfterLoss) throw result;
  throw new TransportError(result.message, true, result.cause);
}

function wasSent(result: WireReply | TransportError): boolean {
  return !(result instanceof TransportError) || result.wasSent;
}

/** Waits for `ms`, or until the run stops. Rejects with the reason of `signal` if the caller aborts. */
async function pause(
  clock: Clock,
  ms: number,
  { signal, stopping }: Readonly<Record<'signal' | 'stopping', AbortSignal | undefined>>,
): Promise<void> {
  const ends = [signal, stopping].filter((end) => end !== undefined);
  try {
    await clock.sleep(ms, AbortSignal.any(ends));
  } catch (error) {
    if (signal?.aborted || !stopping?.aborted) throw error;
  }
}

async function attemptOnce(
  transport: Transport,
  request: WireRequest,
  signal: AbortSignal | undefined,
): Promise<WireReply | TransportError> {
  try {
    return await transport(request, signal);
  } catch (error) {
    if (error instanceof TransportError) return error;
    throw error;
  }
}

function reasonToRepeat(request: WireRequest, result: WireReply | TransportError): string | undefined {
  if (result instanceof TransportError) {
    return !result.wasSent || request.isRepeatable ? result.message : undefined;
  }
  const { status, isOverloaded } = result;
  if (isOverloaded) return `status ${status}`;
  if (!request.isRepeatable) return undefined;
  if (status === 408 || status >= 500) return `status ${status}`;
  if (status < 200 || status >= 300 || status === 204) return undefined;
  return looksLikeJson(result) ? undefined : 'an answer that is not JSON';
}

/** The number of bytes to examine at both ends of a reply. */
const endBytes = 128;

/** Examines only the ends, because the caller parses the whole reply. Documented replies are objects and arrays. */
function looksLikeJson(reply: WireReply): boolean {
  const { bytes } = reply;
  // Some services send white space while they are working.
  return (bytes !== undefined && hasEndsOfJson(endsOf(bytes))) || hasEndsOfJson(reply.body);
}

/** Both ends of a body. Only ASCII matters; the ends of a short body overlap. */
function endsOf(bytes: Buffer): string {
  return bytes.toString('latin1', 0, endBytes) + bytes.toString('latin1', bytes.length - endBytes);
}

function hasEndsOfJson(body: string): boolean {
  const text = body.trim();
  return (
    text === 'null' ||
    (text.startsWith('{') && text.endsWith('}')) ||
    (text.startsWith('[') && text.endsWith(']'))
  );
}

/** The pause in milliseconds; undefined if the service asks for more than a run can wait. */
function pauseBefore(
  attempt: number,
  result: WireReply | TransportError,
  clock: Clock,
  random: Random,
): number | undefined {
  const ownMs = backoffMs(attempt, random, pauses);
  const askedMs =
    result instanceof TransportError ? undefined : retryAfterMs(result.headers['retry-after'], clock);
  if (askedMs === undefined) return ownMs;
  return askedMs > retryAfterLongestMs ? undefined : Math.max(askedMs, ownMs);
}

/** The pause requested by a Retry-After header, in milliseconds; undefined if it is absent or unreadable. */
export function retryAfterMs(header: string | undefined, clock: Pick<Clock, 'now'>): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - clock.now());
}
