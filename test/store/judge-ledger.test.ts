import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { judgeLedger } from '../../src/store/ledger/judge-ledger.ts';
import type { Ledger } from '../../src/store/ledger/ledger.ts';
import type { ExpectedLedger } from '../../src/store/ledger/ledger-store.ts';
import { stillClock } from './open-ledger-place.ts';

const path = '/l/ledger.db';
const origin = 'https://a.example';
const damaged = new Failure('ledger', 'the marks are damaged');

/** Judges a ledger of account A of a shop; its marks cannot be opened for this reason. */
function judge(
  expected: Partial<ExpectedLedger>,
  error: unknown = damaged,
  accounts: readonly string[] = ['A'],
) {
  const closed: string[] = [];
  const ledger = {
    meta: async () => ({ origin, shop: 'mall', otherOrigins: ['https://b.example'], accounts }),
    close: async () => closed.push('ledger'),
  } as unknown as Ledger;
  const ground = {
    path,
    place: { host: 'h', inode: '7' },
    inode: '7',
    openMarks: async () => Promise.reject(error),
    clock: stillClock,
  };
  const judged = judgeLedger(ledger, ground, { origin, clock: stillClock, ...expected });
  return { judged, closed };
}

describe('a ledger is refused, and closed,', () => {
  const profile = 'use the profile of that shop, or name the ledger of this one with -c ledger=FILE';
  const belongs = `the ledger ${path} belongs to the shop 'mall' at ${origin}, not to`;
  const elsewhere = 'https://c.example';
  const another =
    `if that is the same service under another name: reviewctl ledger accept --complete -c ledger=${path} -c base-url=${elsewhere}; ` +
    'else use the profile of that shop, or name the ledger of this one with -c ledger=FILE';

  it.each<[string, Partial<ExpectedLedger>, string, string]>([
    ['of another shop', { shop: 'store' }, `${belongs} 'store' at ${origin}`, profile],
    ['of another service', { origin: elsewhere }, `${belongs} ${elsewhere}`, another],
    [
      'of another service with its account',
      { origin: elsewhere, account: 'A' },
      `${belongs} ${elsewhere}`,
      another,
    ],
    [
      'of another service and account',
      { origin: elsewhere, account: 'B' },
      `${belongs} ${elsewhere}`,
      profile,
    ],
    [
      'of another shop at any service',
      { origin: elsewhere, shop: 'store', isAnyOrigin: true },
      `${belongs} 'store' at ${elsewhere}`,
      profile,
    ],
    [
      'of another account',
      { account: 'B' },
      `the ledger ${path} was kept with the credential of another account`,
      'for another shop use a profile and a ledger of its own; for a new credential of the same shop: ' +
        'reviewctl login --same-shop',
    ],
  ])('%s', async (_, expected, message, hint) => {
    const { judged, closed } = judge(expected);
    await expect(judged).rejects.toMatchObject({ kind: 'ledger', message, hint });
    expect(closed).toEqual(['ledger']);
  });
});

it.each<[string, Partial<ExpectedLedger>, readonly string[]]>([
  ['its service', {}, ['A']],
  ['its shop', { shop: 'mall' }, ['A']],
  ['another address of its service', { origin: 'https://b.example', shop: 'mall' }, ['A']],
  ['any service', { origin: 'https://c.example', isAnyOrigin: true }, ['A']],
  ['its account', { account: 'A' }, ['B', 'A']],
  ['an account, of which it knows none', { account: 'B' }, []],
])(
  'a ledger that is asked for by %s is open, and claims nothing without its marks',
  async (_, expected, accounts) => {
    const { judged, closed } = judge(expected, damaged, accounts);
    const { ledger, standing } = await judged;
    expect(standing).toEqual({ kind: 'unmarked', failure: damaged });
    await expect(ledger.fence()).rejects.toBe(damaged);
    expect(closed).toEqual([]);
  },
);
