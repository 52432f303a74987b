import { type BackoffBounds, backoffMs } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { operations } from '../contract/operations.ts';
import { type Transport, TransportError, type WireReply, type WireRequest } from '../contract/wire.ts';

/** A period in which the service does not answer. */
export interface Outage {
  /** The failure that revealed it. */
  readonly reason: string;
  readonly elapsedMs: number;
  /** `given-up`: it lasted longer than the maximum wait. */
  readonly state: 'under-way' | 'over' | 'given-up';
}

export interface OutageOptions {
  /** The maximum time to wait for the end of an outage, in milliseconds. */
  readonly waitMs: number;
  readonly clock: Clock;
  readonly random: Random;
  /** Once aborted, no outage is waited for. */
  readonly stopping?: AbortSignal | undefined;
  /** Called before each probe of the service, and at the end. */
  readonly onOutage?: ((outage: Outage) => void) | undefined;
}

/** The pauses between two probes. The first probe comes at once: a single broken connection is not an outage. */
const pauses: BackoffBounds = { firstMs: 100, longestMs: 2_000 };

/** Statuses with which a proxy reports that the service behind it does not answer. */
const awayStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

/** The probe: it changes nothing, and costs a service little. */
const look: WireRequest = {
  operation: 'listProducts',
  isRepeatable: true,
  method: 'GET',
  path: `${operations.listProducts.path}?first=1`,
  headers: { accept: 'application/json' },
  body: undefined,
};

/** The first lost reply, and its time by the monotonic clock. */
interface Loss {
  readonly reason: string;
  readonly atMs: number;
}

/**
 * Holds back every request while the service does not answer, until a probe is answered. Begins when a reply is lost
 * after earlier ones arrived: a service that has never answered is not waited for. The lost result itself is returned
 * unchanged. Probes are sent only while a request waits, so none outlives the last request.
 * @throws TransportError for a request that was held back for the maximum time.
 */
export function withOutagePause(
  transport: Transport,
  { waitMs, clock, random, stopping, onOutage = () => undefined }: OutageOptions,
): Transport {
  let hasAnswered = false;
  let loss: Loss | undefined;
  let looking: Promise<boolean> | undefined;
  const lookUntilAnswered = async ({ reason, atMs }: Loss): Promise<boolean> => {
    for (let attempt = 1; ; attempt += 1) {
      const elapsedMs = clock.monotonicMs() - atMs;
      if (elapsedMs >= waitMs || stopping?.aborted) {
        onOutage({ reason, elapsedMs, state: 'given-up' });
        return false;
      }
      onOutage({ reason, elapsedMs, state: 'under-way' });
      if (await isAnswered(transport)) {
        onOutage({ reason, elapsedMs: clock.monotonicMs() - atMs, state: 'over' });
        return true;
      }
      await clock.sleep(backoffMs(attempt, random, pauses), stopping).catch(() => undefined);
    }
  };
  const isBack = (since: Loss): Promise<boolean> => {
    looking ??= lookUntilAnswered(since)
      .then((isOver) => {
        hasAnswered = isOver;
        loss = undefined;
        return isOver;
      })
      .finally(() => {
        looking = undefined;
      });
    return looking;
  };
  const noteLoss = (reason: string) => {
    if (hasAnswered && waitMs > 0) loss ??= { reason, atMs: clock.monotonicMs() };
  };
  return async (request, signal) => {
    // If the run is stopping, the transport refuses the request.
    if (loss !== undefined && !(await isBack(loss)) && !stopping?.aborted)
      throw new TransportError(`the service has not answered for ${waitMs / 1000} s`, false);
    try {
      const reply = await transport(request, signal);
      if (isAway(reply)) noteLoss(`status ${reply.status}`);
      else hasAnswered = true;
      return reply;
    } catch (error) {
      if (error instanceof TransportError) noteLoss(error.message);
      throw error;
    }
  };
}

/** True if the service answers anything at all. */
async function isAnswered(transport: Transport): Promise<boolean> {
  try {
    return !isAway(await transport(look));
  } catch (error) {
    if (error instanceof TransportError) return false;
    throw error;
  }
}

function isAway({ status, isOverloaded = false }: WireReply): boolean {
  return awayStatuses.has(status) && !isOverloaded;
}
