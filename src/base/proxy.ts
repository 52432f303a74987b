import { Failure } from './failure.ts';

/** The proxy for https, and the hosts that are called without one. */
export interface Proxy {
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/**
 * The proxy that `env` names for requests to `url`, in lower case first as other tools read it; undefined where there
 * is none.
 * @throws Failure('config') for an HTTPS_PROXY that is no address.
 */
export function proxyFor(url: URL, env: Readonly<Record<string, string | undefined>>): Proxy | undefined {
  const httpsProxy = env['https_proxy'] || env['HTTPS_PROXY'];
  if (url.protocol !== 'https:' || !httpsProxy) return undefined;
  return { httpsProxy: proxyAddress(httpsProxy), noProxy: env['no_proxy'] || env['NO_PROXY'] || '' };
}

/** A proxy as an address; `host:port` alone means http. The message does not repeat it: it may hold a password. */
function proxyAddress(proxy: string): string {
  const address = proxy.includes('://') ? proxy : `http://${proxy}`;
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address;
  throw new Failure(
    'config',
    'HTTPS_PROXY names no http or https address',
    'write it as http://host:port, or unset it',
  );
}
