import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/failure.ts';
import type { Transport, WireReply, WireRequest } from '../contract/wire.ts';

/** One attempt of a request, whole: with the credential in its headers, and persons in its bodies. */
export interface RecordedExchange {
  readonly request: WireRequest;
  readonly startedAtMs: number;
  readonly tookMs: number;
  /** The reply, or what happened instead of one. */
  readonly reply: WireReply | string;
}

/** Hands every attempt that goes through to `onExchange`. */
export function withRecord(
  transport: Transport,
  clock: Clock,
  onExchange: (exchange: RecordedExchange) => void,
): Transport {
  return async (request, signal) => {
    const startedAtMs = clock.now();
    const record = (reply: WireReply | string) =>
      onExchange({ request, startedAtMs, tookMs: clock.now() - startedAtMs, reply });
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
