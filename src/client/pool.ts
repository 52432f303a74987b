import type { Dispatcher } from 'undici';
import { messageOf, systemCodeOf } from '../base/failure.ts';
import { type Transport, TransportError, type WireReply, type WireRequest } from '../contract/wire.ts';

/** The bounds of one attempt. */
export interface PoolBounds {
  /** From handing the request over to the last byte of its reply, in milliseconds. */
  readonly timeoutMs: number;
  /** Largest reply body taken, in bytes. */
  readonly replyBytesMaximum: number;
}

/** A transport over the network, and the way to let go of its connections. */
export interface PoolTransport {
  readonly transport: Transport;
  close(): Promise<void>;
}

/** Idle connections are left before a usual server (5 s) leaves them, so that no request meets a closing one. */
const keepAliveMs = 4000;

/**
 * HTTP/1.1 over pooled connections to the origin of `baseUrl`, whose path is put before every request path. Proxies
 * of HTTPS_PROXY and NO_PROXY are honoured. Redirects are handed back as the replies they are.
 */
export async function openPool(baseUrl: URL, bounds: PoolBounds): Promise<PoolTransport> {
  const dispatcher = await openDispatcher(baseUrl, bounds);
  const prefix = baseUrl.pathname.replace(/\/+$/, '');
  return {
    transport: (request, signal) => exchange(dispatcher, baseUrl.origin, prefix, request, bounds, signal),
    close: () => dispatcher.destroy(),
  };
}

async function openDispatcher(
  baseUrl: URL,
  { timeoutMs, replyBytesMaximum }: PoolBounds,
): Promise<Dispatcher> {
  const options = {
    pipelining: 1,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    maxResponseSize: replyBytesMaximum,
    // The whole attempt has one deadline of our own, which also bounds a body that trickles.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: timeoutMs },
  };
  const { env } = process;
  const isProxied = baseUrl.protocol === 'https:' && Boolean(env['HTTPS_PROXY'] ?? env['https_proxy']);
  if (isProxied) {
    const { default: EnvHttpProxyAgent } = await import('undici/lib/dispatcher/env-http-proxy-agent.js');
    return new EnvHttpProxyAgent(options);
  }
  const { default: Pool } = await import('undici/lib/dispatcher/pool.js');
  return new Pool(baseUrl.origin, options);
}

function exchange(
  dispatcher: Dispatcher,
  origin: string,
  prefix: string,
  request: WireRequest,
  { timeoutMs }: PoolBounds,
  signal: AbortSignal | undefined,
): Promise<WireReply> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    let controller: Dispatcher.DispatchController | undefined;
    let status = 0;
    let headers: Record<string, string> = {};
    const chunks: Buffer[] = [];

    const stop = (reason: Error) => {
      settle();
      controller?.abort(reason);
      reject(reason);
    };
    const abort = () => stop(signal?.reason);
    const deadline = setTimeout(() => {
      stop(new TransportError(`no complete answer within ${timeoutMs / 1000} s`, controller !== undefined));
    }, timeoutMs);
    const settle = () => {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', abort);
    };
    signal?.addEventListener('abort', abort, { once: true });

    dispatcher.dispatch(
      {
        origin,
        path: prefix + request.path,
        method: request.method,
        headers: request.headers,
        body: request.body ?? null,
      },
      {
        // Called right before the first byte is written: from here on the service may have seen the request.
        onRequestStart: (started) => {
          controller = started;
        },
        onResponseStart: (_, statusCode, received) => {
          status = statusCode;
          headers = plainHeaders(received);
        },
        onResponseData: (_, chunk) => {
          chunks.push(chunk);
        },
        onResponseEnd: () => {
          settle();
          resolve({ status, headers, body: textOf(chunks) });
        },
        onResponseError: (_, error) => {
          settle();
          reject(new TransportError(describe(error, origin), controller !== undefined, error));
        },
      },
    );
  });
}

function textOf(chunks: readonly Buffer[]): string {
  const [only] = chunks;
  return chunks.length === 1 && only ? only.toString() : Buffer.concat(chunks).toString();
}

function plainHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) plain[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return plain;
}

function describe(error: Error, origin: string): string {
  switch (systemCodeOf(error)) {
    case 'ECONNREFUSED':
      return `nothing answers at ${origin} (connection refused)`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host of ${origin} is not known`;
    case 'UND_ERR_CONNECT_TIMEOUT':
      return `no connection to ${origin} in time`;
    case 'UND_ERR_SOCKET':
    case 'ECONNRESET':
    case 'EPIPE':
      return 'the connection broke before the answer was complete';
    case 'UND_ERR_RES_EXCEEDED_MAX_SIZE':
      return 'the answer is larger than any this tool reads';
    default:
      return messageOf(error);
  }
}
