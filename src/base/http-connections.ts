import type { Socket } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';
import { type HttpProxy, proxyFor } from './proxy.ts';
import { requireCertificateCheck } from './tls-failure.ts';

export interface HttpConnectionOptions {
  /** The most connections at once; further requests wait. */
  readonly connections: number;
  /** 1 to reuse a connection, 0 for one that serves a single request. */
  readonly pipelining: 0 | 1;
  /** How long an idle connection is reused, in milliseconds. */
  readonly idleMs: number;
  /** The time limit of a connection to be made, in milliseconds. The caller ends a request that takes too long. */
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
 * HTTP/1.1 connections to the origin of `url`. https uses the proxy, if one is set.
 * @throws Failure('config') for an HTTPS_PROXY that is no address, and as `requireCertificateCheck`.
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
    // The caller has a deadline of its own, which also covers a slow body.
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

/** Connects to a server, as undici has it. */
type Connecting<Options> = (options: Options, callback: Connected) => void;
type Connected = (...result: [null, Socket] | [Error, null]) => void;

/** The part of undici's parser that sees the head of each reply. */
interface ReplyParser {
  onHeadersComplete(status: number, ...details: readonly boolean[]): number;
}

const continueStatus = 100;
const earlyHints = 103;

/**
 * Connects as `connect` does, and lets a server send `100 Continue` before its reply, as HTTP allows it (RFC 9110,
 * 15.2). undici passes over any other interim reply, but takes this one for a broken connection, after which nobody
 * knows whether a write arrived. `parserKey` is where undici keeps the parser of a socket.
 */
function acceptingContinue<Options>(connect: Connecting<Options>, parserKey: symbol): Connecting<Options> {
  return (options, callback) => {
    connect(options, (...result) => {
      // Makes the parser.
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
