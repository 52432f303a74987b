import type { OperationName } from '../contract/operations.ts';
import type { Transport } from '../contract/wire.ts';

export interface StopOptions {
  /** Aborted when no further request may leave. */
  readonly stopping: AbortSignal;
  /** Operations that complete work under way. A stopping run still sends them. */
  readonly completing?: ReadonlySet<OperationName> | undefined;
}

/**
 * Lets no request leave once the run stops; those under way are awaited. A refused request throws the reason of
 * `stopping`, which proves that it was not sent.
 */
export function withStop(transport: Transport, { stopping, completing }: StopOptions): Transport {
  const completes: ReadonlySet<string> | undefined = completing;
  return async (request, signal) => {
    if (!completes?.has(request.operation)) stopping.throwIfAborted();
    return transport(request, signal);
  };
}
