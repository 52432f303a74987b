import { describe, expect, it, test } from 'vitest';
import { areOfOneAccount, type HighWaterMark } from '../../src/store/ledger/high-water-mark.ts';
import type { EventMark, Ledger } from '../../src/store/ledger/ledger.ts';
import type { LastPlace, Restoration } from '../../src/store/ledger/ledger-custody.ts';
import {
  isOfKind,
  type Refused,
  type StandingGround,
  standingOf,
} from '../../src/store/ledger/ledger-standing.ts';

interface Facts {
  readonly accounts?: readonly string[];
  readonly lastSeq?: number;
  /** The seal of its events. */
  readonly seal?: string;
  readonly restoration?: Restoration | null;
  readonly epoch?: number;
  readonly lastPlace?: LastPlace | null;
  readonly movedTo?: string;
}

const here: LastPlace = { host: 'h', inode: '7' };
const path = '/l/ledger.db';
const origin = 'https://a.example';

/** A stub of the ledger L1 with 9 events, for an account of the shop. */
function ledgerWith({
  accounts = ['A'],
  lastSeq = 9,
  seal = 's',
  restoration = null,
  epoch = 0,
  movedTo,
  ...facts
}: Facts = {}): Ledger {
  const lastPlace = 'lastPlace' in facts ? facts.lastPlace : here;
  const identity = { ledgerId: 'L1', origin, shop: 'shop' };
  const asked = {
    identity,
    meta: async () => ({ ...identity, accounts, restoration, place: lastPlace, epoch, movedTo }),
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
    ['where it was used nowhere before', { lastPlace: null }, {}],
    ['where its machine cannot be told', { lastPlace: { host: null, inode: '7' } }, {}],
    ['where this machine cannot be told', {}, { place: { host: null, inode: '7' } }],
    ['where its mark knows no inode', {}, { marks: [{ ...mark, inode: null }] }],
    ['where the time at which it was made is known only here', {}, { place: { host: 'h', inode: '7.99' } }],
  ])('%s', async (_, facts, ground) => {
    expect(await standing(facts, ground)).toEqual({ kind: 'current' });
  });
});

const accept = 'reviewctl ledger accept -c ledger=/l/ledger.db';
const isOther =
  '/l/ledger.db is not the ledger in use for this account; that one is at /l/other.db, with 9 events';
const useOther = `use that one with -c ledger=/l/other.db, or restore it; if it is lost for good and this one takes its place: ${accept}`;
const useNewest = `use the newest ledger; if this is the newest: ${accept}`;
const isBackup = `if the ledger it was made from is lost: ${accept}`;
const wasElsewhere = 'the ledger /l/ledger.db was last used on another machine, or as another file';
const ifNewest =
  'if nothing that was recorded there is missing here, and it will never be used there again: reviewctl ledger accept ' +
  `--complete -c ledger=/l/ledger.db; if it came from a backup: ${accept}`;
const database = 'postgres://s/db';
const copyOf = (atMs: number, lostEvents: number | null = null): Facts => ({
  restoration: { atMs, acceptedAtMs: null, comparedAtMs: null, lostEvents },
});

type Row = [string, Facts, Partial<StandingGround>, Refused['kind'], string, string];
const refusals: Row[] = [
  ['where its account has another one', {}, { marks: [mark, other] }, 'other', isOther, useOther],
  [
    'where the account in use has another one',
    {},
    { marks: [mark, { ...other, accounts: ['B'], path: '/l/a b.db' }], account: 'B' },
    'other',
    isOther.replace('other.db', 'a b.db'),
    useOther.replace('ledger=/l/other.db', "'ledger=/l/a b.db'"),
  ],
  [
    'where it has no mark, and one of an unknown account at its address is there',
    {},
    { marks: [{ ...other, accounts: [] }] },
    'other',
    isOther,
    useOther,
  ],
  [
    'where it was retired, and one of an unknown account at its address is there',
    {},
    {
      marks: [
        { ...mark, isRetired: true },
        { ...other, accounts: [] },
      ],
    },
    'other',
    isOther,
    useOther,
  ],
  [
    'where it lacks the event of its mark',
    { lastSeq: 8 },
    {},
    'older',
    'the ledger /l/ledger.db is out of date: it ends at event 8, but event 9 was recorded',
    useNewest,
  ],
  [
    'where it went another way',
    { seal: 'x' },
    {},
    'older',
    'the ledger /l/ledger.db is a copy that diverged: it lacks event 9 of the ledger in use',
    useNewest,
  ],
  ['where it is a copy', copyOf(0), {}, 'copy', '/l/ledger.db is a backup, and not in use', isBackup],
  [
    'where it is a copy of a time',
    copyOf(Date.UTC(2026, 0, 2)),
    {},
    'copy',
    '/l/ledger.db is a backup of 2026-01-02 09:00 +09:00, and not in use',
    isBackup,
  ],
  [
    'where a machine found the database put back',
    copyOf(3, 2),
    { path: database, marks: [] },
    'copy',
    `the ledger ${database} was put back to an earlier state: another machine recorded at least 2 events that it lacks; no machine ` +
      'pays from it',
    `if nothing newer is left: ${accept.replace('ledger=/l/ledger.db', `state=${database}`)}`,
  ],
  ['on another machine', {}, { place: { host: 'x', inode: '7' } }, 'elsewhere', wasElsewhere, ifNewest],
  ['as another file', {}, { place: { host: 'h', inode: '8' } }, 'elsewhere', wasElsewhere, ifNewest],
  [
    'as another file than its mark knows',
    {},
    { marks: [{ ...mark, inode: '8', path: '/l/other.db' }] },
    'elsewhere',
    `${wasElsewhere}, /l/other.db`,
    ifNewest,
  ],
  [
    'as another file, without a mark',
    { lastPlace: { host: 'h', inode: '8' } },
    { marks: [] },
    'elsewhere',
    wasElsewhere,
    ifNewest,
  ],
  ...[{}, { lastSeq: 8, movedTo: database }].map(
    (facts): Row => [
      'where it was moved to a database, whether or not that has newer events',
      facts,
      { marks: [{ ...mark, path: database }] },
      'elsewhere',
      `the ledger /l/ledger.db was moved to ${database}`,
      `use that one: -c state=${database}`,
    ],
  ),
  [
    'where a move to a database has not ended',
    { movedTo: database },
    {},
    'moving',
    `this ledger is moving to ${database}, or has moved there; nothing more is recorded here`,
    `if it is not there yet, finish or undo the move: reviewctl state move -c state=${database}`,
  ],
  [
    'where another server has it',
    { lastPlace: { host: 'h', inode: '8' } },
    { path: database, marks: [] },
    'elsewhere',
    `the ledger ${database} was last used on another server or timeline: it was restored, or a replica took over`,
    ifNewest.replaceAll('ledger=/l/ledger.db', `state=${database}`),
  ],
];

describe('a ledger is not the one in use, and why is told with the next step', () => {
  it.each(refusals)('%s', async (_, facts, ground, kind, message, remedy) => {
    const failure = { kind: 'ledger', message, hint: remedy };
    expect(await standing(facts, ground)).toMatchObject({ kind, failure });
  });

  test('and the most dangerous finding comes first', async () => {
    const elsewhere = { place: { host: 'x', inode: '8' } };
    const facts = { ...copyOf(3), lastSeq: 8 };
    expect(await standing(facts, { ...elsewhere, marks: [mark, other] })).toMatchObject({ kind: 'other' });
    expect(await standing(facts, elsewhere)).toMatchObject({ kind: 'older' });
    expect(await standing(copyOf(3), elsewhere)).toMatchObject({ kind: 'copy' });
    expect(await standing({ movedTo: database }, elsewhere)).toMatchObject({ kind: 'elsewhere' });
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
