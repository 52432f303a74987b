import { BlockList, isIP } from 'node:net';
import { Failure } from '../../base/failure.ts';

/** Who really calls, and whether they may. */
export interface Caller {
  /** Undefined where nothing credible names an address. */
  readonly address: string | undefined;
  readonly isAllowed: boolean;
  /** What may be wrong with the settings where a caller is refused, for the log. */
  readonly doubt?: string;
}

/** Tells callers apart by the address of their connection and what trusted proxies say of where it came from. */
export interface CallerAllowlist {
  callerOf(peer: string | undefined, forwardedFor: string | undefined): Caller;
  /** Whether a connection from this address may carry a call: of a caller that is allowed, or of a trusted proxy. */
  isKnown(peer: string | undefined): boolean;
}

/**
 * Reads addresses (`203.0.113.7`, `2001:db8::1`) and networks (`203.0.113.0/24`). Only what a trusted proxy adds to
 * X-Forwarded-For is believed; everything to the left of it may be made up.
 * @throws Failure('usage') for what is no address.
 */
export function parseAllowlist({
  allowed,
  trustedProxies,
}: {
  readonly allowed: readonly string[];
  readonly trustedProxies: readonly string[];
}): CallerAllowlist {
  const mayCall = addresses(allowed, '--allow-ip');
  const isProxy = addresses(trustedProxies, '--trust-proxy');
  return {
    callerOf: (peer, forwardedFor) => {
      const address = callerOf(peer, forwardedFor, isProxy);
      if (address === undefined) {
        return { address, isAllowed: false, doubt: 'X-Forwarded-For names no address of the caller' };
      }
      const isAllowed = mayCall(address);
      if (isAllowed || forwardedFor === undefined || address !== plainAddress(peer ?? '')) {
        return { address, isAllowed };
      }
      return { address, isAllowed, doubt: 'its X-Forwarded-For is believed only if --trust-proxy names it' };
    },
    isKnown: (peer) => {
      const address = plainAddress(peer ?? '');
      return address !== undefined && (mayCall(address) || isProxy(address));
    },
  };
}

/** The last address on the way that no trusted proxy vouches for; the connection's own where nothing was forwarded. */
function callerOf(
  peer: string | undefined,
  forwardedFor: string | undefined,
  isProxy: (address: string) => boolean,
): string | undefined {
  const forwarded = forwardedFor === undefined ? [] : forwardedFor.split(',');
  const hops = [...forwarded, peer ?? ''].map((hop) => plainAddress(withoutPort(hop.trim())));
  for (const hop of hops.toReversed()) {
    if (hop === undefined || !isProxy(hop)) return hop;
  }
  return hops[0];
}

/** Some proxies add the port the caller called from. */
function withoutPort(hop: string): string {
  return hop.replace(/^\[(.+)\](?::\d+)?$/, '$1').replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1');
}

/** The address without the ways in which one host may be written: IPv4 in IPv6, a zone. */
function plainAddress(text: string): string | undefined {
  const address = text.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  return isIP(address) === 0 ? undefined : address;
}

function addresses(texts: readonly string[], flag: string): (address: string) => boolean {
  const list = new BlockList();
  for (const text of texts) addTo(list, text, flag);
  return (address) => list.check(address, familyOf(address));
}

function addTo(list: BlockList, text: string, flag: string): void {
  const [written = '', prefix, ...rest] = text.trim().split('/');
  const address = plainAddress(written);
  const bits = Number(prefix);
  const longest = address !== undefined && isIP(address) === 4 ? 32 : 128;
  const isNetwork =
    rest.length === 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && bits <= longest));
  if (address === undefined || !isNetwork) {
    throw new Failure(
      'usage',
      `${flag}: '${text}' is neither an address nor a network`,
      'give IP addresses or networks, such as 203.0.113.7 or 203.0.113.0/24',
    );
  }
  if (prefix === undefined) list.addAddress(address, familyOf(address));
  else list.addSubnet(address, bits, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}
