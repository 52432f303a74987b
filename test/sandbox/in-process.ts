import { type Transport, TransportError } from '../../src/contract/wire.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { stallMs } from '../../src/sandbox/serve.ts';

/**
 * A transport to a sandbox without a socket. It returns the same answers, and reports a reset, a torn body or a stall
 * as a lost reply.
 */
export function transportOf(sandbox: Sandbox): Transport {
  return async ({ method, path, headers, body }, signal) => {
    signal?.throwIfAborted();
    const lowerCased = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const given = await abortable(sandbox.answer({ method, path, headers: lowerCased, body }), signal);
    switch (given.kind) {
      case 'reply':
        return given.reply;
      case 'reset':
        throw new TransportError('the connection was reset', true);
      case 'torn':
        throw new TransportError('the connection ended within the reply', true);
      case 'stall':
        await sandbox.clock.sleep(stallMs, signal);
        throw new TransportError('no reply came', true);
    }
  };
}

/** Rejects on abort, although the request itself continues. */
function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
