import type { Clock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { ServiceFailure } from '../../client/service-failure.ts';
import type { Product } from '../../contract/resources.ts';
import type { Breaker } from '../steps/breaker.ts';
import type { ProductLookup } from './find-products.ts';

/** The position of a creation in the order of sending. */
export type CreationMark = number;

/** The creations of a push whose answers were lost. Looks for all of them together. */
export interface LostCreations {
  /** Call before a creation leaves. */
  begin(): CreationMark;
  /** Notes that the creation with this mark was answered: the service has the product. */
  created(originId: string, mark: CreationMark): void;
  /**
   * Looks for a product whose creation was `lost`. Undefined if the service has shown twice, at least ten seconds
   * apart, that it does not have it: a lookup found a product created after the loss, but not the lost one.
   * @throws ServiceFailure `lost`, with the number of lookups, if the outcome is still open after 20 seconds; at once
   *   if the run stops.
   */
  poll(originId: string, lost: ServiceFailure): Promise<Product | undefined>;
}

interface LostOptions {
  readonly lookup: ProductLookup;
  readonly clock: Clock;
  readonly breaker: Breaker;
  /** Aborted to stop looking. */
  readonly stopping: AbortSignal;
}

/** The maximum time to look for a lost product: lists may lag behind writes. */
const pollMs = 20_000;
/** The minimum time between the two lookups that prove a product absent. */
const absenceMs = 10_000;
/** The limits of a pause, which is otherwise as long as the youngest loss is old. */
const pauseMs = { min: 250, max: 2_500 } as const;
/** Lost products per lookup, each with another product that proves the list up to date. */
const pairsMaximum = 25;

interface Loss {
  readonly originId: string;
  readonly failure: ServiceFailure;
  readonly mark: CreationMark;
  readonly lostAtMs: number;
  /** A product that was created after the loss. */
  witness?: string;
  /** The start of the search: the first answer, which may come only after an outage. */
  sinceMs: number;
  looks: number;
  lastLookAtMs?: number;
  absentSinceMs?: number;
  readonly resolve: (found: Product | undefined) => void;
  readonly reject: (error: unknown) => void;
}

export function createLostCreations(options: LostOptions): LostCreations {
  const { clock } = options;
  const losses = new Set<Loss>();
  let begun = 0;
  let isLooking = false;
  const look = async () => {
    isLooking = true;
    try {
      while (losses.size > 0) {
        await clock.sleep(pauseBefore(losses, clock), options.stopping).catch(() => undefined);
        await lookOnce(options, losses);
      }
    } catch (error) {
      for (const { reject } of losses) reject(error);
      losses.clear();
    } finally {
      isLooking = false;
    }
  };
  return {
    begin: () => {
      begun += 1;
      return begun;
    },
    created: (originId, mark) => {
      for (const loss of losses) if (mark > loss.mark) loss.witness ??= originId;
    },
    poll: (originId, failure) =>
      new Promise((resolve, reject) => {
        const lostAtMs = clock.monotonicMs();
        losses.add({
          originId,
          failure,
          mark: begun,
          lostAtMs,
          sinceMs: lostAtMs,
          looks: 0,
          resolve,
          reject,
        });
        if (!isLooking) void look();
      }),
  };
}

function pauseBefore(losses: ReadonlySet<Loss>, clock: Clock): number {
  const youngestMs = Math.max(...[...losses].map(({ lostAtMs }) => lostAtMs));
  return Math.max(pauseMs.min, Math.min(pauseMs.max, clock.monotonicMs() - youngestMs));
}

/** Looks for every lost product once, and drops those that are found, proven absent or past the time limit. */
async function lookOnce(options: LostOptions, losses: Set<Loss>): Promise<void> {
  const { stopping } = options;
  const all = [...losses];
  for (let from = 0; from < all.length && !stopping.aborted; from += pairsMaximum)
    await lookForPairs(options, all.slice(from, from + pairsMaximum), losses);
  for (const loss of all) {
    if (!losses.has(loss)) continue;
    const isOver = stopping.aborted || options.clock.monotonicMs() - loss.sinceMs >= pollMs;
    if (isOver && losses.delete(loss)) loss.reject(notFound(loss, options.clock));
  }
}

async function lookForPairs(options: LostOptions, some: readonly Loss[], losses: Set<Loss>): Promise<void> {
  const { clock } = options;
  const found = await findAll(options, some);
  if (found === undefined) return;
  const nowMs = clock.monotonicMs();
  for (const loss of some) {
    if (loss.looks === 0) loss.sinceMs = nowMs;
    loss.looks += 1;
    loss.lastLookAtMs = clock.now();
    const product = found.get(loss.originId)?.[0];
    if (product === undefined) {
      if (loss.witness === undefined || !found.has(loss.witness)) continue;
      loss.absentSinceMs ??= nowMs;
      if (nowMs - loss.absentSinceMs < absenceMs) continue;
    }
    losses.delete(loss);
    loss.resolve(product);
  }
}

/** The lost products and their witnesses that the service shows; undefined if the lookup fails. */
async function findAll(
  { lookup, breaker }: LostOptions,
  losses: readonly Loss[],
): Promise<ReadonlyMap<string, readonly Product[]> | undefined> {
  const originIds = losses.flatMap(({ originId, witness }) => [originId, witness ?? originId]);
  try {
    return await lookup.find([...new Set(originIds)]);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (!(error instanceof ServiceFailure && error.isPassing)) breaker.stop(error);
    return undefined;
  }
}

/** The failure `lost`, with the number and time of the lookups. */
function notFound({ failure, looks, lastLookAtMs }: Loss, clock: Clock): ServiceFailure {
  const at = new Date(lastLookAtMs ?? clock.now()).toISOString();
  const times = looks === 1 ? 'once' : `${looks} times, the last time`;
  const what = looks === 0 ? 'it could not be looked for' : `looked for ${times} at ${at}, and not found`;
  return failure.because(`${failure.reason}; ${what}`);
}
