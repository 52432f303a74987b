import type { Transport } from '../contract/wire.ts';

/** Awaits `beforeWrite` before each write request; if it throws, the request is not sent. */
export function withGate(transport: Transport, beforeWrite: () => Promise<void>): Transport {
  return async (request, signal) => {
    if (request.method !== 'GET') await beforeWrite();
    return transport(request, signal);
  };
}
