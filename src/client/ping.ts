import { openPool, type PoolOptions } from './pool.ts';

const replyBytesMaximum = 64 * 1024;

/** One call of a monitor. */
export interface Ping {
  readonly url: URL;
  /** Sent as a POST; without it, the call is a GET. */
  readonly body?: string;
  /** The time limit in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Calls a monitor once. Resolves with a description of its response if that is not 2xx, otherwise with undefined.
 * @throws TransportError if there was no response.
 */
export async function ping(
  { url, body, timeoutMs }: Ping,
  env: PoolOptions['env'],
): Promise<string | undefined> {
  const pool = await openPool(new URL(url.origin), { timeoutMs, replyBytesMaximum, env });
  try {
    const { status } = await pool.transport({
      operation: 'ping',
      isRepeatable: true,
      method: body === undefined ? 'GET' : 'POST',
      path: url.pathname + url.search,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body,
    });
    return status >= 200 && status < 300 ? undefined : `it answered ${status}`;
  } finally {
    await pool.close();
  }
}
