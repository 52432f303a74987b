import { describe, expect, it } from 'vitest';
import { parseAllowlist } from '../../src/settle/webhook/caller-allowlist.ts';

const allowed = ['203.0.113.7', '198.51.100.0/24', '2001:db8::/32'];

describe('without a trusted proxy', () => {
  const allowlist = parseAllowlist({ allowed, trustedProxies: [] });

  it.each([
    '203.0.113.7',
    '198.51.100.255',
    '2001:db8::5',
    '::ffff:203.0.113.7',
    '::ffff:cb00:7107',
    '2001:db8::5%eth0',
  ])('%s may call', (peer) => {
    expect(allowlist.callerOf(peer, undefined).isAllowed).toBe(true);
  });

  it.each(['203.0.113.8', '::ffff:203.0.113.8', '198.51.101.0', '2001:db9::1', '::1', '', undefined])(
    '%s may not call, whatever it claims to forward',
    (peer) => {
      expect(allowlist.callerOf(peer, undefined).isAllowed).toBe(false);
      expect(allowlist.callerOf(peer, '203.0.113.7').isAllowed).toBe(false);
    },
  );
});

describe('with a trusted proxy', () => {
  const allowlist = parseAllowlist({
    allowed: [...allowed, '192.0.2.1'],
    trustedProxies: ['10.0.0.0/8', '::1'],
  });

  it.each([
    ['10.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['::ffff:10.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['::1', '203.0.113.7, 10.9.9.9', '203.0.113.7'],
    ['10.0.0.1', '203.0.113.7:51234', '203.0.113.7'],
    ['10.0.0.1', '[2001:db8::5]:443', '2001:db8::5'],
    ['10.0.0.1', 'made up, 203.0.113.7', '203.0.113.7'],
    ['192.0.2.1', undefined, '192.0.2.1'],
    ['::ffff:192.0.2.1', undefined, '192.0.2.1'],
    ['10.0.0.1', '::FFFF:203.0.113.7', '203.0.113.7'],
  ])('through %s forwarding %s the caller is %s, and may call', (peer, forwarded, address) => {
    expect(allowlist.callerOf(peer, forwarded)).toEqual({ address, isAllowed: true });
  });

  it.each<[string, string, string | undefined]>([
    [
      'what the caller wrote stands to the left of what the proxy adds',
      '10.0.0.1',
      '203.0.113.7, 203.0.113.9',
    ],
    ['a proxy that forwards for nobody calls itself', '10.0.0.1', undefined],
    ['nobody is named', '10.0.0.1', ''],
    ['the nearest hop is unknown', '10.0.0.1', '203.0.113.7, unknown'],
    ['the nearest hop is empty', '10.0.0.1', '203.0.113.7,'],
    ['the connection is not of a proxy', '203.0.113.9', '203.0.113.7'],
  ])('no call is allowed where %s', (_why, peer, forwarded) => {
    expect(allowlist.callerOf(peer, forwarded).isAllowed).toBe(false);
  });
});

it.each([
  'localhost',
  '203.0.113.0/33',
  '203.0.113.0/',
  '203.0.113.0/8/8',
  '2001:db8::/129',
  '203.0.113',
  '',
  '1.2.3.4/-1',
])('%j is refused as an address, with the flag that names it', (text) => {
  expect(() => parseAllowlist({ allowed: [text], trustedProxies: [] })).toThrow(
    expect.objectContaining({
      kind: 'usage',
      message: `allow-ip: '${text}' is neither an address nor a network`,
      hint: 'give IP addresses or networks, such as 203.0.113.7 or 203.0.113.0/24',
    }),
  );
  expect(() => parseAllowlist({ allowed, trustedProxies: [text] })).toThrow('trust-proxy');
});

const forwardedFor = 'its X-Forwarded-For is believed only if the setting trust-proxy names it';

it.each<[peer: string | undefined, forwarded: string | undefined, doubt: string | undefined]>([
  ['203.0.113.9', undefined, undefined],
  ['10.0.0.1', undefined, undefined],
  ['203.0.113.9', '203.0.113.7', forwardedFor],
  ['::ffff:203.0.113.9', '203.0.113.7', forwardedFor],
  ['203.0.113.7', '203.0.113.9', undefined],
  ['10.0.0.1', '203.0.113.9', undefined],
  ['10.0.0.1', 'unknown', 'X-Forwarded-For names no address of the caller'],
  [undefined, undefined, 'X-Forwarded-For names no address of the caller'],
])('a call from %s forwarding %s is doubted in the log as %s', (peer, forwarded, doubt) => {
  const allowlist = parseAllowlist({ allowed, trustedProxies: ['10.0.0.0/8'] });
  expect(allowlist.callerOf(peer, forwarded).doubt).toBe(doubt);
});

it.each<[peer: string | undefined, isKnown: boolean]>([
  ['203.0.113.7', true],
  ['::ffff:203.0.113.7', true],
  ['10.0.0.1', true],
  ['203.0.113.9', false],
  ['', false],
  [undefined, false],
])('a connection from %s may carry a call: %s', (peer, isKnown) => {
  const allowlist = parseAllowlist({ allowed, trustedProxies: ['10.0.0.0/8'] });
  expect(allowlist.isKnown(peer)).toBe(isKnown);
});

it.each([
  ['203.0.113.0/32', '203.0.113.0', '203.0.113.1'],
  ['203.0.113.0/31', '203.0.113.1', '203.0.113.2'],
  [' 203.0.113.7 ', '203.0.113.7', '203.0.113.6'],
  ['2001:db8::/128', '2001:db8::', '2001:db8::1'],
  ['2001:db8::/64', '2001:db8::ffff', '2001:db8:0:1::'],
  ['0.0.0.0/0', '203.0.113.7', '2001:db8::1'],
])('the network %j has %s, and not %s', (network, inside, outside) => {
  const allowlist = parseAllowlist({ allowed: [network], trustedProxies: [] });
  expect(allowlist.callerOf(inside, undefined)).toEqual({ address: inside, isAllowed: true });
  expect(allowlist.callerOf(outside, undefined).isAllowed).toBe(false);
});
