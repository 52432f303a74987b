import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/failure.ts';
import type { Transport } from '../contract/wire.ts';

/**
 * One exchange without sensitive data: no headers, which include the credential, and no bodies, which contain personal
 * data.
 */
export interface TraceEvent {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly tookMs: number;
  /** Requests in flight when it began, including itself. */
  readonly inFlight: number;
  /** The status, or the reason for a missing reply. */
  readonly result: number | string;
  /** The Date header of the reply, to compare clocks. */
  readonly date: string | undefined;
}

interface Traced {
  readonly transport: Transport;
  /** The number of requests that are waiting for their reply. */
  readonly countInFlight: () => number;
}

/** Calls `onExchange` with every attempt. */
export function withTrace(
  transport: Transport,
  clock: Clock,
  onExchange: (event: TraceEvent) => void,
): Traced {
  let inFlight = 0;
  const traced: Transport = async (request, signal) => {
    inFlight += 1;
    const inFlightAtStart = inFlight;
    const startedMs = clock.monotonicMs();
    const emit = (result: number | string, date?: string) =>
      onExchange({
        operation: request.operation,
        method: request.method,
        path: request.path,
        tookMs: Math.round(clock.monotonicMs() - startedMs),
        inFlight: inFlightAtStart,
        result,
        date,
      });
    try {
      const reply = await transport(request, signal);
      emit(reply.status, reply.headers['date']);
      return reply;
    } catch (error) {
      emit(messageOf(error));
      throw error;
    } finally {
      inFlight -= 1;
    }
  };
  return { transport: traced, countInFlight: () => inFlight };
}
