import { expect, it } from 'vitest';
import { createAllowlist, parseNetwork } from '../../src/settle/webhook/caller-allowlist.ts';

const networks = (texts: readonly string[]) => texts.flatMap((text) => parseNetwork(text) ?? []);
const allowed = networks(['203.0.113.7', '198.51.100.0/24', '2001:db8::/32', '192.0.2.1']);
const trustedProxies = networks(['10.0.0.0/8', '::1']);
const doubt = 'its X-Forwarded-For is believed only if the setting trust-proxy names it';
const nobody = 'X-Forwarded-For names no address of the caller';

it.each<
  [
    peer: string | undefined,
    forwarded: string | undefined,
    address: string | undefined,
    doubt?: string | true,
  ]
>([
  // Allowed, without a suspicion.
  ['203.0.113.7', undefined, '203.0.113.7'],
  ['198.51.100.255', undefined, '198.51.100.255'],
  ['2001:db8::5', undefined, '2001:db8::5'],
  ['::ffff:203.0.113.7', undefined, '203.0.113.7'],
  ['::ffff:cb00:7107', undefined, '::ffff:cb00:7107'],
  ['2001:db8::5%eth0', undefined, '2001:db8::5'],
  ['192.0.2.1', undefined, '192.0.2.1'],
  ['203.0.113.7', '203.0.113.9', '203.0.113.7'],
  ['10.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['::ffff:10.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['::1', '203.0.113.7, 10.9.9.9', '203.0.113.7'],
  ['10.0.0.1', '203.0.113.7:51234', '203.0.113.7'],
  ['10.0.0.1', '[2001:db8::5]:443', '2001:db8::5'],
  ['10.0.0.1', 'made up, 203.0.113.7', '203.0.113.7'],
  ['10.0.0.1', '::FFFF:203.0.113.7', '203.0.113.7'],
  // Refused, with the suspected cause, or `true` if there is none.
  ['203.0.113.8', undefined, '203.0.113.8', true],
  ['::ffff:203.0.113.8', undefined, '203.0.113.8', true],
  ['198.51.101.0', undefined, '198.51.101.0', true],
  ['2001:db9::1', undefined, '2001:db9::1', true],
  ['203.0.113.9', '203.0.113.7', '203.0.113.9', doubt],
  ['::ffff:203.0.113.9', '203.0.113.7', '203.0.113.9', doubt],
  // The caller's own entries precede those of the proxy.
  ['10.0.0.1', '203.0.113.7, 203.0.113.9', '203.0.113.9', true],
  ['10.0.0.1', undefined, '10.0.0.1', true],
  ['10.0.0.1', '', undefined, nobody],
  ['10.0.0.1', '203.0.113.7, unknown', undefined, nobody],
  ['10.0.0.1', '203.0.113.7,', undefined, nobody],
  ['', undefined, undefined, nobody],
  [undefined, '203.0.113.7', undefined, nobody],
])('a call from %s forwarding %s is of %s, and doubted: %s', (peer, forwarded, address, why) => {
  const isAllowed = why === undefined;
  expect(createAllowlist({ allowed, trustedProxies }).callerOf(peer, forwarded)).toEqual({
    address,
    isAllowed,
    ...(typeof why === 'string' ? { doubt: why } : {}),
  });
});

it.each<[peer: string | undefined, isKnown: boolean]>([
  ['203.0.113.7', true],
  ['::ffff:203.0.113.7', true],
  ['10.0.0.1', true],
  ['203.0.113.9', false],
  ['', false],
  [undefined, false],
])('a connection from %s may carry a call: %s', (peer, isKnown) => {
  expect(createAllowlist({ allowed, trustedProxies }).isKnown(peer)).toBe(isKnown);
});

it.each([
  ['203.0.113.0/32', '203.0.113.0', '203.0.113.1'],
  ['203.0.113.0/31', '203.0.113.1', '203.0.113.2'],
  [' 203.0.113.7 ', '203.0.113.7', '203.0.113.6'],
  ['2001:db8::/128', '2001:db8::', '2001:db8::1'],
  ['2001:db8::/64', '2001:db8::ffff', '2001:db8:0:1::'],
  ['0.0.0.0/0', '203.0.113.7', '2001:db8::1'],
])('the network %j has %s, and not %s', (network, ...peers) => {
  const allowlist = createAllowlist({ allowed: networks([network]), trustedProxies: [] });
  expect(peers.map((peer) => allowlist.callerOf(peer, undefined).isAllowed)).toEqual([true, false]);
});

it.each([
  ...['localhost', '203.0.113.0/33', '203.0.113.0/', '203.0.113.0/8/8'],
  ...['2001:db8::/129', '203.0.113', '', '1.2.3.4/-1'],
])('%j is not a network', (text) => {
  expect(parseNetwork(text)).toBeUndefined();
});
