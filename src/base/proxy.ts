import { Failure } from './failure.ts';

/** The proxy for https, and the hosts that are called directly. */
export interface Proxy {
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/**
 * The proxy in `env` for requests to `url`; lower-case names take precedence, as in other tools. Undefined if
 * there is none.
 * @throws Failure('config') for an HTTPS_PROXY that is no address.
 */
export function proxyFor(url: URL, env: Readonly<Record<string, string | undefined>>): Proxy | undefined {
  const httpsProxy = env['https_proxy'] || env['HTTPS_PROXY'];
  if (url.protocol !== 'https:' || !httpsProxy) return undefined;
  return { httpsProxy: proxyAddress(httpsProxy), noProxy: env['no_proxy'] || env['NO_PROXY'] || '' };
}

/**
 * A proxy as an address; `host:port` means http. Messages do not quote it, because it may contain a password.
 */
function proxyAddress(proxy: string): string {
  const address = proxy.includes('://') ? proxy : `http://${proxy}`;
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address;
  throw new Failure(
    'config',
    'HTTPS_PROXY names no http or https address',
    'write it as http://host:port, or unset it',
  );
}
