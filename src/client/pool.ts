import { isAscii, isUtf8, transcode } from 'node:buffer';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Dispatcher, EnvHttpProxyAgent } from 'undici';
import { messageOf, systemCodeOf } from '../base/failure.ts';
import { proxyFor } from '../base/proxy.ts';
import { type Transport, TransportError, type WireReply, type WireRequest } from '../contract/wire.ts';

export interface PoolOptions {
  /** From handing the request over to the last byte of its reply, in milliseconds. */
  readonly timeoutMs: number;
  /** Largest reply body taken, in bytes, compressed and decompressed alike. */
  readonly replyBytesMaximum: number;
  /** Where HTTPS_PROXY and NO_PROXY are looked up, in lower case first as other tools do. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A transport over the network, and the way to let go of its connections. */
export interface PoolTransport {
  readonly transport: Transport;
  close(): Promise<void>;
}

/** Connections at once; what does not fit waits, within its own time. */
const connectionsMaximum = 128;

/**
 * How long an idle connection is used again. A repeatable request that meets a connection the server is closing is sent
 * once more; any other would end as unknown, so it only goes where the last reply came a moment ago, or on a new
 * connection.
 */
const keepAliveMs = { repeatable: 4000, other: 500 } as const;

/**
 * HTTP/1.1 over pooled connections to the origin of `baseUrl`, whose path is put before every request path. Proxies
 * of HTTPS_PROXY and NO_PROXY are honoured. Redirects are handed back as the replies they are, gzip is decompressed.
 * Closing breaks off what is under way.
 * @throws Failure('config') for an HTTPS_PROXY that is no address.
 */
export async function openPool(baseUrl: URL, options: PoolOptions): Promise<PoolTransport> {
  const repeatable = await openDispatcher(baseUrl, options, keepAliveMs.repeatable);
  const other = await openDispatcher(baseUrl, options, keepAliveMs.other);
  const prefix = baseUrl.pathname.replace(/\/+$/, '');
  const { timeoutMs, replyBytesMaximum } = options;
  const route = { origin: baseUrl.origin, prefix, timeoutMs, replyBytesMaximum };
  return {
    transport: (request, signal) =>
      exchange({ ...route, dispatcher: request.isRepeatable ? repeatable : other }, request, signal),
    close: async () => {
      await Promise.all([repeatable.destroy(), other.destroy()]);
    },
  };
}

async function openDispatcher(
  baseUrl: URL,
  { timeoutMs, replyBytesMaximum, env }: PoolOptions,
  idleMs: number,
): Promise<Dispatcher> {
  const options = {
    connections: connectionsMaximum,
    pipelining: 1,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    maxResponseSize: replyBytesMaximum,
    // The whole attempt has one deadline of our own, which also bounds a body that trickles.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: timeoutMs },
  };
  const proxy = proxyFor(baseUrl, env);
  if (proxy !== undefined) {
    const EnvHttpProxyAgent = await importProxyAgent();
    return new EnvHttpProxyAgent({ ...options, httpProxy: '', ...proxy });
  }
  const { default: Pool } = await import('undici/lib/dispatcher/pool.js');
  return new Pool(baseUrl.origin, options);
}

/**
 * The proxy agent asks for tunnels with `connect`, which undici's root adds to every dispatcher; here the root is not
 * loaded.
 */
async function importProxyAgent(): Promise<typeof EnvHttpProxyAgent> {
  const [{ default: Agent }, { default: dispatcher }, { default: connect }] = await Promise.all([
    import('undici/lib/dispatcher/env-http-proxy-agent.js'),
    import('undici/lib/dispatcher/dispatcher.js'),
    import('undici/lib/api/api-connect.js'),
  ]);
  dispatcher.prototype.connect = connect;
  return Agent;
}

interface Route {
  readonly dispatcher: Dispatcher;
  readonly origin: string;
  /** The part of the URL before every path. */
  readonly prefix: string;
  readonly timeoutMs: number;
  readonly replyBytesMaximum: number;
}

const acceptedEncodings = { 'accept-encoding': 'gzip, identity' } as const;

async function exchange(
  route: Route,
  request: WireRequest,
  signal: AbortSignal | undefined,
): Promise<WireReply> {
  const { status, headers, body } = await exchangeBytes(route, request, signal);
  return new PoolReply(status, headers, await decompressed(headers, body, route));
}

/** A reply whose body is read as text only when it is asked for. */
class PoolReply implements WireReply {
  readonly status: number;
  readonly headers: WireReply['headers'];
  readonly bytes: Buffer;
  #body: string | undefined;

  constructor(status: number, headers: WireReply['headers'], bytes: Buffer) {
    this.status = status;
    this.headers = headers;
    this.bytes = bytes;
  }

  get body(): string {
    this.#body ??= decodeUtf8(this.bytes);
    return this.#body;
  }
}

/**
 * UTF-8 as text; what is well-formed in less than half the time that `toString` takes for texts that are not ASCII,
 * which it is quick for.
 */
function decodeUtf8(bytes: Buffer): string {
  return !isAscii(bytes) && isUtf8(bytes)
    ? transcode(bytes, 'utf8', 'utf16le').toString('utf16le')
    : bytes.toString();
}

/**
 * The body as it was before the service compressed it; as it came where it cannot be decompressed, for the reader to
 * refuse.
 */
async function decompressed(
  headers: WireReply['headers'],
  body: Buffer,
  { replyBytesMaximum }: Route,
): Promise<Buffer> {
  const { 'content-encoding': encoding } = headers;
  if (encoding === undefined || !/^(?:x-)?gzip$/i.test(encoding) || body.length === 0) return body;
  try {
    return await promisify(gunzip)(body, { maxOutputLength: replyBytesMaximum });
  } catch {
    return body;
  }
}

/** A reply before its body is read as text. */
interface ByteReply extends Omit<WireReply, 'body' | 'bytes'> {
  readonly body: Buffer;
}

function exchangeBytes(
  { dispatcher, origin, prefix, timeoutMs }: Route,
  { method, path, headers, body }: WireRequest,
  signal: AbortSignal | undefined,
): Promise<ByteReply> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    let controller: Dispatcher.DispatchController | undefined;
    let stopped: Error | undefined;
    let status = 0;
    let replyHeaders: Record<string, string> = {};
    const chunks: Buffer[] = [];

    const stop = (reason: Error) => {
      stopped = reason;
      release();
      controller?.abort(reason);
      reject(reason);
    };
    const abort = () => stop(signal?.reason);
    const deadline = setTimeout(() => {
      const missing = controller === undefined ? `no connection to ${origin}` : 'no complete answer';
      stop(
        new TransportError(
          `${missing} within ${timeoutMs / 1000} s`,
          controller !== undefined,
          undefined,
          true,
        ),
      );
    }, timeoutMs);
    const release = () => {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', abort);
    };
    signal?.addEventListener('abort', abort, { once: true });

    dispatcher.dispatch(
      {
        origin,
        path: prefix + path,
        method,
        headers: { ...acceptedEncodings, ...headers },
        body: body ?? null,
      },
      {
        // Called right before the first byte is written: from here on the service may have seen the request.
        onRequestStart: (started) => {
          // It waited for its connection longer than its caller, which already knows that it was never sent.
          if (stopped !== undefined) started.abort(stopped);
          controller = started;
        },
        onResponseStart: (_, statusCode, received) => {
          status = statusCode;
          replyHeaders = plainHeaders(received);
        },
        onResponseData: (_, chunk) => {
          chunks.push(chunk);
        },
        onResponseEnd: () => {
          release();
          resolve({ status, headers: replyHeaders, body: joined(chunks) });
        },
        onResponseError: (_, error) => {
          release();
          reject(new TransportError(describe(error, origin), controller !== undefined, error));
        },
      },
    );
  });
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [only] = chunks;
  return chunks.length === 1 && only ? only : Buffer.concat(chunks);
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
  const code = systemCodeOf(error) ?? '';
  switch (code) {
    case 'ECONNREFUSED':
      return `nothing answers at ${origin} (connection refused)`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host of ${origin} is not known`;
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return `no connection to ${origin} (${code})`;
    case 'UND_ERR_SOCKET':
    case 'ECONNRESET':
    case 'EPIPE':
      return 'the connection broke before the answer was complete';
    case 'UND_ERR_RES_EXCEEDED_MAX_SIZE':
      return 'the answer is larger than any this tool reads';
    default:
      if (error.name === 'HTTPParserError') return `what answers at ${origin} does not speak HTTP`;
      if (/WRONG_VERSION_NUMBER|EPROTO/.test(code)) return `what answers at ${origin} does not speak https`;
      if (/^(?:ERR_SSL_|ERR_TLS_)/.test(code) || /certificate/i.test(error.message)) {
        return `no secure connection to ${origin} (${code}): ${messageOf(error)}`;
      }
      return messageOf(error) || code;
  }
}
