import { BlockList, isIP } from 'node:net';

/** The caller of a request, and whether it is allowed. */
export interface Caller {
  /** Undefined if no trusted source names an address. */
  readonly address: string | undefined;
  readonly isAllowed: boolean;
  /** A possible mistake in the settings, for the log of a refused call. */
  readonly doubt?: string;
}

/** Identifies callers by the address of their connection and by the headers of trusted proxies. */
export type CallerAllowlist = ReturnType<typeof createAllowlist>;

/** A network, or one address, as all its bits. */
interface Network {
  readonly address: string;
  readonly bits: number;
}

/**
 * Creates an allowlist. In X-Forwarded-For, only the entries added by trusted proxies are believed; those to their left
 * may be forged.
 */
export function createAllowlist({
  allowed,
  trustedProxies,
}: {
  readonly allowed: readonly Network[];
  readonly trustedProxies: readonly Network[];
}) {
  const mayCall = memberOf(allowed);
  const isProxy = memberOf(trustedProxies);
  return {
    callerOf: (peer: string | undefined, forwardedFor: string | undefined): Caller => {
      const address = callerOf(peer, forwardedFor, isProxy);
      if (address === undefined) {
        return { address, isAllowed: false, doubt: 'X-Forwarded-For names no address of the caller' };
      }
      const isAllowed = mayCall(address);
      if (isAllowed || forwardedFor === undefined || address !== plainAddress(peer ?? '')) {
        return { address, isAllowed };
      }
      return {
        address,
        isAllowed,
        doubt: 'its X-Forwarded-For is believed only if the setting trust-proxy names it',
      };
    },
    /** True if a connection from this address may carry a call: it is an allowed caller or a trusted proxy. */
    isKnown: (peer: string | undefined) => {
      const address = plainAddress(peer ?? '');
      return address !== undefined && (mayCall(address) || isProxy(address));
    },
  };
}

/** The last hop that is not a trusted proxy; the address of the connection if nothing was forwarded. */
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

/** Removes the caller's port, which some proxies add. */
function withoutPort(hop: string): string {
  return hop.replace(/^\[(.+)\](?::\d+)?$/, '$1').replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1');
}

/** The address in a canonical notation: without an IPv4-mapped prefix and without a zone. */
function plainAddress(text: string): string | undefined {
  const address = text.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/s, '');
  return isIP(address) === 0 ? undefined : address;
}

function memberOf(networks: readonly Network[]): (address: string) => boolean {
  const list = new BlockList();
  for (const { address, bits } of networks) list.addSubnet(address, bits, familyOf(address));
  return (address) => list.check(address, familyOf(address));
}

/** Reads an address (`203.0.113.7`, `2001:db8::1`) or a network (`203.0.113.0/24`); undefined for other text. */
export function parseNetwork(text: string): Network | undefined {
  const [written = '', prefix, ...rest] = text.trim().split('/');
  const address = plainAddress(written);
  if (address === undefined || rest.length > 0) return undefined;
  const longest = isIP(address) === 4 ? 32 : 128;
  if (prefix === undefined) return { address, bits: longest };
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= longest
    ? { address, bits: Number(prefix) }
    : undefined;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}
