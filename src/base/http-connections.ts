import type { Socket } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';
import { type HttpProxy, proxyFor } from './proxy.ts';
import { requireCertificateCheck } from './tls-failure.ts';

export interface HttpConnectionOptions {
  /** Maximum connections at once; further requests wait. */
  readonly connections: number;
  /** 1 to reuse a connection, 0 for one that serves a single request. */
  readonly pipelining: 0 | 1;
  /** Idle time after which a connection is not reused, in milliseconds. */
  readonly idleMs: number;
  /** The time limit for opening a connection, in milliseconds. The caller ends a request that takes too long. */
  readonly timeoutMs: number;
  /** The largest reply body, in bytes. */
  readonly replyBytesMaximum: number;
  /** The source of HTTPS_PROXY and NO_PROXY; lower-case names take precedence. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Connections to one origin, through a proxy if one is set. */
export interface HttpConnections {
  readonly dispatcher: Dispatcher;
  readonly proxy: HttpProxy | undefined;
}

type Connector = ReturnType<typeof buildConnector>;

/**
 * Opens HTTP/1.1 connections to the origin of `url`. https uses the proxy, if one is set.
 * @throws Failure('config') if HTTPS_PROXY is not an address, and as `requireCertificateCheck`.
 */
export async function openHttpConnections(
  url: URL,
  { connections, pipelining, idleMs, timeoutMs, replyBytesMaximum, env }: HttpConnectionOptions,
): Promise<HttpConnections> {
  requireCertificateCheck(url, env);
  const proxy = proxyFor(url, env);
  const options = {
    connections,
    pipelining,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    maxResponseSize: replyBytesMaximum,
    // The caller's own deadline also covers a slow body.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const [{ default: Pool }, { default: connectorOf }, { default: symbols }] = await Promise.all([
    import('undici/lib/dispatcher/pool.js'),
    import('undici/lib/core/connect.js'),
    import('undici/lib/core/symbols.js'),
  ]);
  const poolTo = (origin: URL | string, connect: Connector) =>
    new Pool(origin, { ...options, connect: acceptingContinue(connect, symbols.kParser) });
  if (proxy === undefined)
    return { dispatcher: poolTo(url.origin, connectorOf({ timeout: timeoutMs })), proxy };
  const [{ default: Agent }, { default: dispatcher }, { default: connect }] = await Promise.all([
    import('undici/lib/dispatcher/proxy-agent.js'),
    import('undici/lib/dispatcher/dispatcher.js'),
    import('undici/lib/api/api-connect.js'),
  ]);
  // Proxy tunnels need a method that only undici's main module defines, which is slow to load.
  dispatcher.prototype.connect = connect;
  const agent = new Agent({
    ...options,
    uri: proxy.address,
    factory: (origin, made: { connect?: Connector }) => poolTo(origin, made.connect as Connector),
  });
  return { dispatcher: agent, proxy };
}

/** Connects to a server, with undici's signature. */
type Connecting<Options> = (options: Options, callback: Connected) => void;
type Connected = (...result: [null, Socket] | [Error, null]) => void;

/** The part of undici's parser that sees the head of each reply. */
interface ReplyParser {
  onHeadersComplete(status: number, ...details: readonly boolean[]): number;
}

const continueStatus = 100;
const earlyHints = 103;

/**
 * Connects as `connect` does, and accepts a `100 Continue` of the server before its reply, as HTTP allows (RFC 9110,
 * 15.2). undici skips any other interim reply, but treats this one as a broken connection, after which nobody knows
 * whether a write arrived. `parserKey` is the key of the parser in a socket of undici.
 */
function acceptingContinue<Options>(connect: Connecting<Options>, parserKey: symbol): Connecting<Options> {
  return (options, callback) => {
    connect(options, (...result) => {
      // Creates the parser.
      callback(...result);
      const [, socket] = result;
      const parser = socket ? parserOf(socket, parserKey) : undefined;
      if (parser === undefined) return;
      const onHeadersComplete = parser.onHeadersComplete.bind(parser);
      parser.onHeadersComplete = (status, ...details) =>
        onHeadersComplete(status === continueStatus ? earlyHints : status, ...details);
    });
  };
}

function parserOf(socket: object, parserKey: symbol): ReplyParser | undefined {
  return (Reflect.get(socket, parserKey) ?? undefined) as ReplyParser | undefined;
}
