import type { Clock } from '../../base/clock.ts';
import { answersNeeded, firstSearch, type LimitSearch, nextLimit, type Round } from './next-limit.ts';

/** A source of exchanges as they end, retries included; the service is one. */
interface Watched {
  watch(listener: (exchange: Exchange) => void): void;
}

/** One request that is over. */
interface Exchange {
  readonly operation: string;
  readonly tookMs: number;
  /** Requests that were in flight as it began, itself included. */
  readonly inFlight: number;
  /** The status, or what happened instead of a reply. */
  readonly result: number | string;
}

/** How many requests may be in flight at once, learned from how the service responds to the load. */
export function adaptiveConcurrency(service: Watched, clock: Clock): () => number {
  let search = firstSearch;
  let answers = new AnswerSums();
  let changedAtMs = Number.NEGATIVE_INFINITY;
  let cutAtMs = Number.NEGATIVE_INFINITY;
  const advance = (round: Round) => {
    const { limit } = search;
    search = nextLimit(search, round);
    if (search.limit !== limit) changedAtMs = round.atMs;
    if (round.kind === 'strain') cutAtMs = round.atMs;
    answers = new AnswerSums();
  };
  service.watch((exchange) => {
    const atMs = clock.monotonicMs();
    const startedAtMs = atMs - exchange.tookMs;
    if (isStrain(exchange.result)) {
      // A cut takes a round trip to show: until what was in flight is answered, the load is the one before it.
      if (startedAtMs > cutAtMs + (search.best.latencyMs.get(exchange.operation) ?? 0))
        advance({ kind: 'strain', atMs });
      return;
    }
    if (startedAtMs < changedAtMs + settlingMs(search, exchange)) return;
    const sum = answers.add(exchange);
    if (sum.count < answersNeeded(search)) return;
    const { operation } = exchange;
    advance({ kind: 'answers', atMs, operation, latencyMs: sum.tookMs / sum.count, inFlight: sum.inFlight });
  });
  return () => Math.floor(search.limit);
}

/** What is begun in the first moment of a limit still meets the load before it, or has a new connection to wait for. */
function settlingMs({ phase, best }: LimitSearch, { operation }: Exchange): number {
  return phase.kind === 'recovering' ? 0 : (best.latencyMs.get(operation) ?? 0);
}

function isStrain(result: number | string): boolean {
  return typeof result === 'string' || result === 429 || result === 408 || result >= 500;
}

/** The good answers of one round, by operation: a lookup and a write take their own times. */
class AnswerSums {
  readonly #sums = new Map<
    string,
    { readonly count: number; readonly tookMs: number; readonly inFlight: number }
  >();

  /** Adds an answer; how many there are of its operation, their time together and the most that were in flight. */
  add({ operation, tookMs, inFlight }: Exchange) {
    const before = this.#sums.get(operation) ?? { count: 0, tookMs: 0, inFlight: 0 };
    const sum = {
      count: before.count + 1,
      tookMs: before.tookMs + tookMs,
      inFlight: Math.max(before.inFlight, inFlight),
    };
    this.#sums.set(operation, sum);
    return sum;
  }
}
