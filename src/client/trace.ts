import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/failure.ts';
import type { Transport } from '../contract/wire.ts';

/**
 * One exchange as it may be shown: no headers (one is the credential), no bodies (they hold people's names and
 * telephone numbers).
 */
export interface TraceEvent {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly tookMs: number;
  /** Requests in flight as it began, itself included. */
  readonly inFlight: number;
  /** The status, or what happened instead of a reply. */
  readonly result: number | string;
  /** The Date header of the reply, by which clocks can be compared. */
  readonly date: string | undefined;
}

/** Tells `onExchange` of every attempt that goes through. */
export function withTrace(
  transport: Transport,
  clock: Clock,
  onExchange: (event: TraceEvent) => void,
): Transport {
  let inFlight = 0;
  return async (request, signal) => {
    inFlight += 1;
    const inFlightAtStart = inFlight;
    const startedAt = clock.now();
    const emit = (result: number | string, date?: string) =>
      onExchange({
        operation: request.operation,
        method: request.method,
        path: request.path,
        tookMs: clock.now() - startedAt,
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
}
