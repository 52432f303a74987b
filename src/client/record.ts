import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/failure.ts';
import type { Transport, WireReply, WireRequest } from '../contract/wire.ts';

/** One attempt of a request in full: with the credential in its headers and personal data in its bodies. */
export interface RecordedExchange {
  readonly request: WireRequest;
  readonly startedAtMs: number;
  readonly tookMs: number;
  /** The reply, or the reason for its absence. */
  readonly reply: WireReply | string;
}

/** Calls `onExchange` with every attempt. */
export function withRecord(
  transport: Transport,
  clock: Clock,
  onExchange: (exchange: RecordedExchange) => void,
): Transport {
  return async (request, signal) => {
    const startedAtMs = clock.now();
    const startedMs = clock.monotonicMs();
    const record = (reply: WireReply | string) =>
      onExchange({ request, startedAtMs, tookMs: Math.round(clock.monotonicMs() - startedMs), reply });
    try {
      const reply = await transport(request, signal);
      record(reply);
      return reply;
    } catch (error) {
      record(messageOf(error));
      throw error;
    }
  };
}
