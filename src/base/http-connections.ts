import type { buildConnector, Dispatcher } from 'undici';
import { type HttpProxy, proxyFor } from './proxy.ts';
import { requireCertificateCheck } from './tls-failure.ts';
import { acceptingContinue } from './unasked-continue.ts';

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
