import { openPool, type PoolOptions } from './pool.ts';

const timeoutMs = 10_000;
const replyBytesMaximum = 64 * 1024;

/**
 * Calls an address once with GET, for a monitor that alarms when the call stays away. Resolves with what the monitor
 * answered other than 2xx, or undefined where all is well.
 * @throws TransportError where there was no answer.
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
