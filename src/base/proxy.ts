import { Failure, messageOf, systemCodeOf } from './failure.ts';

/** A proxy for requests to one host. */
export interface HttpProxy {
  /** Its address; it may contain a password. */
  readonly address: string;
  /** Its address without user name and password, for messages. */
  readonly shownAddress: string;
  /** The host that is called through it. */
  readonly host: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy in `env` for requests to `url`; lower-case names take precedence, as in other tools. Undefined if there is
 * none, or NO_PROXY excludes the host.
 * @throws Failure('config') if HTTPS_PROXY is not an address.
 */
export function proxyFor(url: URL, env: Environment): HttpProxy | undefined {
  const httpsProxy = env['https_proxy'] || env['HTTPS_PROXY'];
  if (url.protocol !== 'https:' || !httpsProxy) return undefined;
  const address = proxyAddress(httpsProxy);
  if (isExcluded(url, env['no_proxy'] || env['NO_PROXY'] || '')) return undefined;
  const { protocol, host } = new URL(address);
  return { address, shownAddress: `${protocol}//${host}`, host: url.host };
}

/** The address of a proxy; `host:port` means http. Messages do not quote it, because it may contain a password. */
function proxyAddress(proxy: string): string {
  const address = proxy.includes('://') ? proxy : `http://${proxy}`;
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address;
  throw new Failure(
    'config',
    'HTTPS_PROXY is not an http or https address',
    'write it as http://host:port, or unset it',
  );
}

const httpsPort = '443';

/** True if NO_PROXY covers a host: by its name, by a domain above it such as `.example.com:8443`, or by `*` alone. */
function isExcluded({ hostname, port }: URL, noProxy: string): boolean {
  if (noProxy.trim() === '*') return true;
  return noProxy
    .split(/[,\s]/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const [, name = entry, entryPort] = /^(.+):(\d+)$/.exec(entry) ?? [];
      const domain = name.replace(/^\*?\./, '').toLowerCase();
      const isOfPort = entryPort === undefined || entryPort === (port || httpsPort);
      return isOfPort && (hostname === domain || hostname.endsWith(`.${domain}`));
    });
}

/** A connection that failed because of a proxy. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly remedy: string;

  constructor(message: string, remedy: string, cause: unknown) {
    super(message, { cause });
    this.remedy = remedy;
  }
}

/** The error of a connection to a host through a proxy, or to the proxy itself, that timed out. */
export function lateProxy(proxy: HttpProxy, timeoutMs: number): ProxyError {
  const { host, shownAddress } = proxy;
  const message = `no connection to ${host} through the proxy at ${shownAddress} within ${timeoutMs / 1000} s`;
  return new ProxyError(message, remedyFor(proxy), undefined);
}

/** Converts a connection error into one of the proxy; undefined if the other end failed. */
export function proxyErrorOf(error: Error, proxy: HttpProxy): ProxyError | undefined {
  const { host } = proxy;
  const named = `the proxy at ${proxy.shownAddress}`;
  const status = /^Proxy response \((\d+)\)/.exec(messageOf(error))?.[1];
  if (status === '407') {
    return new ProxyError(
      `${named} requires a valid user name and password (407)`,
      `give them in HTTPS_PROXY: http://USER:PASSWORD@HOST:PORT; ${withoutProxy(host)}`,
      error,
    );
  }
  if (status !== undefined) {
    return new ProxyError(
      `${named} refused to connect to ${host} (${status})`,
      `ask its operator to allow ${host}; ${withoutProxy(host)}`,
      error,
    );
  }
  const what = connectionFailure(error, named);
  return what === undefined ? undefined : new ProxyError(what, remedyFor(proxy), error);
}

function remedyFor({ host }: HttpProxy): string {
  return `HTTPS_PROXY names this proxy: correct it; ${withoutProxy(host)}`;
}

function withoutProxy(host: string): string {
  return `to call ${host} without it, add it to NO_PROXY`;
}

/** Describes a connection error of `peer`; undefined for an error of encryption. */
export function connectionFailure(error: Error, peer: string): string | undefined {
  const code = systemCodeOf(error) ?? '';
  switch (code) {
    case 'ECONNREFUSED':
      return `${peer} does not answer (connection refused)`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host of ${peer} is not known`;
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return `no connection to ${peer} (${code})`;
    case 'UND_ERR_SOCKET':
    case 'ECONNRESET':
    case 'EPIPE':
      return `${peer} closed the connection`;
    default:
      return error.name === 'HTTPParserError' ? `${peer} does not speak HTTP` : undefined;
  }
}
