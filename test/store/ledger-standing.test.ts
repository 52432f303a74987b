import { describe, expect, it, test } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { areOfOneAccount, type HighWaterMark } from '../../src/store/ledger/high-water-mark.ts';
import type { EventMark, Ledger } from '../../src/store/ledger/ledger.ts';
import type { PlaceUsed, Restoration } from '../../src/store/ledger/ledger-custody.ts';
import {
  isOfKind,
  type Refused,
  type StandingGround,
  standingFailure,
  standingOf,
} from '../../src/store/ledger/ledger-standing.ts';

interface Facts {
  readonly accounts?: readonly string[];
  readonly lastSeq?: number;
  /** The seal of its events. */
  readonly seal?: string;
  readonly restoration?: Restoration | null;
  readonly epoch?: number;
  readonly placeUsed?: PlaceUsed | null;
  readonly movedTo?: string;
}

const here: PlaceUsed = { host: 'h', inode: '7' };
const path = '/l/ledger.db';
const origin = 'https://a.example';

/** What is asked of the ledger L1, which has 9 events, for an account of the shop. */
function ledgerWith({
  accounts = ['A'],
  lastSeq = 9,
  seal = 's',
  restoration = null,
  epoch = 0,
  movedTo,
  ...facts
}: Facts = {}): Ledger {
  const placeUsed = 'placeUsed' in facts ? facts.placeUsed : here;
  const identity = { ledgerId: 'L1', origin, shop: 'shop' };
  const asked = {
    identity,
    meta: async () => ({ ...identity, accounts, restoration, place: placeUsed, epoch, movedTo }),
    lastSeq: async () => lastSeq,
    hasEvent: async (event: EventMark) => event.seq <= lastSeq && event.seal === seal,
  };
  return asked as unknown as Ledger;
}

const mark: HighWaterMark = {
  ledgerId: 'L1',
  origin,
  shop: 'shop',
  accounts: ['A'],
  path,
  inode: '7',
  seq: 9,
  seal: 's',
  epoch: 0,
  movedAtMs: 5,
  isRetired: false,
};
const other = { ...mark, ledgerId: 'L2', path: '/l/other.db' };

const standing = (facts: Facts, ground: Partial<StandingGround> = {}) =>
  standingOf(ledgerWith(facts), { marks: [mark], path, place: here, ...ground });

describe('a ledger is the one in use', () => {
  it.each<[string, Facts, Partial<StandingGround>]>([
    ['where nothing speaks against it', {}, {}],
    ['where it was never marked', {}, { marks: [] }],
    ['where the mark of another account is there', {}, { marks: [mark, { ...other, accounts: ['B'] }] }],
    ['where another one of its account was retired', {}, { marks: [mark, { ...other, isRetired: true }] }],
    ['where another one of an unknown account is there', {}, { marks: [mark, { ...other, accounts: [] }] }],
    ['where its own account is unknown', { accounts: [] }, { marks: [mark, other] }],
    ['where it went on since its mark', { lastSeq: 10 }, {}],
    [
      'where it was accepted',
      { restoration: { atMs: 1, acceptedAtMs: 2, comparedAtMs: null, lostEvents: null } },
      {},
    ],
    ['where it was used nowhere before', { placeUsed: null }, {}],
    ['where its machine cannot be told', { placeUsed: { host: null, inode: '7' } }, {}],
    ['where this machine cannot be told', {}, { place: { host: null, inode: '7' } }],
    ['where its mark knows no inode', {}, { marks: [{ ...mark, inode: null }] }],
    ['where the time at which it was made is known only here', {}, { place: { host: 'h', inode: '7.99' } }],
  ])('%s', async (_, facts, ground) => {
    expect(await standing(facts, ground)).toEqual({ kind: 'current' });
  });
});

describe('a ledger is not the one in use', () => {
  const unmarked = [
    { ...mark, isRetired: true },
    { ...other, accounts: [] },
  ];
  it.each<[string, Facts, Partial<StandingGround>, object]>([
    ['where its account has another one', {}, { marks: [mark, other] }, { kind: 'other', mark: other }],
    [
      'where the account in use has another one',
      {},
      { marks: [mark, { ...other, accounts: ['B'] }], account: 'B' },
      { kind: 'other', mark: { ...other, accounts: ['B'] } },
    ],
    [
      'where it has no mark, and one of an unknown account at its address is there',
      {},
      { marks: [{ ...other, accounts: [] }] },
      { kind: 'other', mark: { ...other, accounts: [] } },
    ],
    [
      'where it was retired, and one of an unknown account at its address is there',
      {},
      { marks: unmarked },
      { kind: 'other', mark: unmarked[1] },
    ],
    ['where it lacks the event of its mark', { lastSeq: 8 }, {}, { kind: 'older', mark, lastSeq: 8 }],
    ['where it went another way', { seal: 'x' }, {}, { kind: 'older', mark, lastSeq: 9 }],
    [
      'where it is a copy that nobody accepted',
      { restoration: { atMs: 3, acceptedAtMs: null, comparedAtMs: null, lostEvents: null } },
      {},
      { kind: 'copy', atMs: 3, lostEvents: null },
    ],
    ['on another machine', {}, { place: { host: 'x', inode: '7' } }, { kind: 'other-machine' }],
    ['as another file', {}, { place: { host: 'h', inode: '8' } }, { kind: 'other-file', path }],
    [
      'as another file than its mark knows',
      {},
      { marks: [{ ...mark, inode: '8' }] },
      { kind: 'other-file', path },
    ],
    [
      'as another file, without a mark',
      { placeUsed: { host: 'h', inode: '8' } },
      { marks: [] },
      { kind: 'other-file', path: undefined },
    ],
    [
      'where it was moved to a database',
      {},
      { marks: [{ ...mark, path: 'postgres://s/db' }] },
      { kind: 'other-file', path: 'postgres://s/db' },
    ],
    [
      'where it was moved to a database, which has a newer event',
      { lastSeq: 8, movedTo: 'postgres://s/db' },
      { marks: [{ ...mark, path: 'postgres://s/db' }] },
      { kind: 'other-file', path: 'postgres://s/db' },
    ],
  ])('%s', async (_, facts, ground, found) => {
    expect(await standing(facts, ground)).toEqual(found);
  });

  test('and the most dangerous finding comes first', async () => {
    const copy = { atMs: 3, acceptedAtMs: null, comparedAtMs: null, lostEvents: null };
    const elsewhere = { place: { host: 'x', inode: '8' } };
    const facts = { restoration: copy, lastSeq: 8 };
    expect(await standing(facts, { ...elsewhere, marks: [mark, other] })).toMatchObject({ kind: 'other' });
    expect(await standing(facts, elsewhere)).toMatchObject({ kind: 'older' });
    expect(await standing({ restoration: copy }, elsewhere)).toMatchObject({ kind: 'copy' });
    expect(await standing({}, elsewhere)).toMatchObject({ kind: 'other-machine' });
  });
});

describe('why a ledger pays nothing is told with the next step', () => {
  const accept = 'reviewctl ledger accept -c ledger=/l/ledger.db';
  const newest = (condition: string) =>
    `if it is as new as that one, and ${condition}: reviewctl ledger accept --complete -c ledger=/l/ledger.db; if it came from a ` +
    `backup: ${accept}`;

  it.each<[Refused, string, string]>([
    [
      { kind: 'copy', atMs: 0, lostEvents: null },
      '/l/ledger.db is a backup, and not in use',
      `if the ledger it was made from is lost: ${accept}`,
    ],
    [
      { kind: 'copy', atMs: Date.UTC(2026, 0, 2), lostEvents: null },
      '/l/ledger.db is a backup of 2026-01-02 09:00 +09:00, and not in use',
      `if the ledger it was made from is lost: ${accept}`,
    ],
    [
      { kind: 'older', mark, lastSeq: 8 },
      'the ledger /l/ledger.db is out of date: it ends at event 8, but event 9 was recorded',
      `use the newest ledger there is; if that is this one: ${accept}`,
    ],
    [
      { kind: 'older', mark, lastSeq: 9 },
      'the ledger /l/ledger.db is a copy that diverged: it lacks event 9 of the ledger in use',
      `use the newest ledger there is; if that is this one: ${accept}`,
    ],
    [
      { kind: 'other', mark: { ...other, path: '/l/a b.db' } },
      '/l/ledger.db is not the ledger in use for this account; that one is at /l/a b.db, with 9 events',
      "use that one with -c 'ledger=/l/a b.db', or restore it; if it is lost for good and this one takes its place: " +
        accept,
    ],
    [
      { kind: 'other-machine' },
      'the ledger /l/ledger.db was last used on another machine',
      newest('it will never be used there again'),
    ],
    [
      { kind: 'other-file', path: '/l/other.db' },
      '/l/ledger.db is a copy of a ledger that was last used as another file, /l/other.db',
      newest('that file will never be used again'),
    ],
    ...[undefined, path].map((same): [Refused, string, string] => [
      { kind: 'other-file', path: same },
      '/l/ledger.db is a copy of a ledger that was last used as another file',
      newest('that file will never be used again'),
    ]),
    [
      { kind: 'other-file', path: 'postgres://s/db' },
      'the ledger /l/ledger.db was moved to postgres://s/db',
      'use that one: -c state=postgres://s/db',
    ],
  ])('%o', (refused, message, hint) => {
    expect(standingFailure(path, refused)).toMatchObject({ kind: 'ledger', message, hint });
  });

  test('of a database that another server has', () => {
    expect(standingFailure('postgres://s/db', { kind: 'other-file', path: undefined })).toMatchObject({
      message:
        'the ledger postgres://s/db was last used on another server or timeline: it was restored, or a replica took over',
      hint: expect.stringContaining(
        'nothing that the old server recorded is missing here: reviewctl ledger accept --complete -c state=',
      ),
    });
  });

  test('of marks that cannot be read by what they say', () => {
    const failure = new Failure('ledger', 'the marks are damaged');
    expect(standingFailure(path, { kind: 'unmarked', failure })).toBe(failure);
  });
});

it.each([
  [['A'], ['A', 'B'], 'x', true],
  [['A'], ['B'], origin, false],
  [[], ['A'], origin, true],
  [['A'], [], origin, true],
  [[], [], origin, true],
  [[], ['A'], 'x', false],
  [['A'], [], 'x', false],
])(
  'ledgers of the accounts %j and %j, the other one at %s, may be of one account: %s',
  (one, accounts, at, are) => {
    expect(areOfOneAccount({ accounts: one, origin }, { accounts, origin: at })).toBe(are);
  },
);

test('a file and a database are places of two kinds', () => {
  const kinds = [path, 'postgres://s/db'].flatMap((one) =>
    [path, 'postgresql://s/db'].map((place) => isOfKind({ path: one }, place)),
  );
  expect(kinds).toEqual([true, false, false, true]);
});
