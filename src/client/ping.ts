import { openPool, type PoolOptions } from './pool.ts';

const timeoutMs = 10_000;
const replyBytesMaximum = 64 * 1024;

/**
 * Sends GET to an address once, for a dead-man's-switch monitor. Resolves with the monitor's response if it
 * is not 2xx, else with undefined.
 * @throws TransportError where there was no response.
 */
export async function ping(url: URL, env: PoolOptions['env']): Promise<string | undefined> {
  const pool = await openPool(new URL(url.origin), { timeoutMs, replyBytesMaximum, env });
  try {
    const { status } = await pool.transport({
      operation: 'ping',
      isRepeatable: true,
      method: 'GET',
      path: url.pathname + url.search,
      headers: {},
      body: undefined,
    });
    return status >= 200 && status < 300 ? undefined : `it answered ${status}`;
  } finally {
    await pool.close();
  }
}
