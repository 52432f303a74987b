import { expect, it } from 'vitest';
import { Statement } from '../../src/payer/read-statement.ts';
import { reconcile } from '../../src/settle/manual/reconcile.ts';
import { paymentKey } from '../../src/settle/rules/payment-key.ts';
import type { LedgerEntry, LedgerEvent, Observation } from '../../src/store/ledger/ledger.ts';
import type { LackingPayment } from '../../src/store/ledger/ledger-custody.ts';
import { identity as account, nowMs, observation, paid, paying, refused, seen, unknown } from './entries.ts';
import { pagesOf, readLedger } from './read-ledger.ts';

const identity = { ...account, ledgerId: 'ledger', createdAtMs: nowMs };
/** The key of the first payment of the reward R1, and the names of others that it may have. */
const keyName = keyNameOf(0);
const earlier = '{"createdAt":"2026-01-01T14:58:59Z"}';

interface Compared {
  readonly entries?: readonly LedgerEntry[];
  /** What the service shows of R1. */
  readonly shown?: Partial<Observation>;
  /** The rows of a statement: the name of a payment and its amount in units. */
  readonly rows?: readonly (readonly [name: string, amount: number])[];
  readonly fromMs?: number;
  readonly untilMs?: number;
  /** Whether the ledger has the payment of R1 as taken back. */
  readonly isReversed?: boolean;
}

const reversedEvent: LedgerEvent = {
  seq: 9,
  atMs: nowMs,
  rewardId: 'R1',
  kind: 'reversed',
  by: 'person',
  payment: 'paid',
  report: 'confirmed',
  attempt: 1,
  detail: { ref: 'B1', amount: '500' },
};

function keyNameOf(keyGeneration: number): string {
  return `key ${paymentKey(account, 'R1', keyGeneration)}`;
}

async function compare({
  entries = [],
  shown,
  rows,
  fromMs = nowMs,
  untilMs = nowMs,
  isReversed = false,
}: Compared) {
  const statement = rows === undefined ? undefined : new Statement();
  for (const [index, [name, amount]] of (rows ?? []).entries()) {
    statement?.add(index + 2, name, BigInt(amount) * 10_000n);
  }
  const rewards = shown === undefined ? [] : [{ rewardId: 'R1', seen: observation(shown) }];
  const ledger = { identity, ...readLedger(entries, isReversed ? [reversedEvent] : []) };
  const lacking: LackingPayment[] = [];
  const counts: number[] = [];
  const found = [];
  for await (const difference of reconcile(
    ledger,
    { all: () => pagesOf(rewards) },
    {
      statement,
      fromMs,
      untilMs,
      noteLacking: (payment) => lacking.push(payment),
      onCompared: (count) => counts.push(count),
    },
  )) {
    found.push({ ...difference, next: String(difference.next) });
  }
  return { found, lacking, counts };
}

/** The differences, each as its kind, its message, and the next command. */
async function differencesOf(compared: Compared): Promise<readonly (readonly string[])[]> {
  return (await compare(compared)).found.map(({ kind, message, next }) => [kind, message, next]);
}

const show = 'reviewctl ledger show R1';
const resolve = 'reviewctl ledger resolve R1 --paid --ref …';
const reward = 'reviewctl rewards get R1';
const givenUp = [
  'given-up',
  'the service says FAILURE, and it was not paid',
  'ask its operator to queue it again, then: reviewctl rewards settle',
];
const inDoubt = ['unknown', 'time-out', 'reviewctl ledger list --payment unknown'];

it.each<[what: string, entry: LedgerEntry, shown: Partial<Observation>, differences: readonly string[][]]>([
  ['waits on both sides', seen, {}, []],
  ['waits on both sides, with another amount', seen, { amount: 1n }, []],
  ['is paid on both sides', paid, { status: 'SUCCESS' }, []],
  ['is refused on both sides', refused, { status: 'CANCELLED' }, []],
  ['is being paid, and failed', paying, { status: 'FAILURE' }, []],
  ['was imported as paid, without terms', { ...paid, terms: null }, { status: 'SUCCESS', amount: 1n }, []],
  [
    'has another amount now',
    paid,
    { status: 'SUCCESS', amount: 4_000_000n },
    [['amount-differs', '500 were paid, the service now says 400', show]],
  ],
  [
    'has no amount now',
    paid,
    { status: 'SUCCESS', amount: null },
    [['amount-differs', '500 were paid, the service now says no exact amount', show]],
  ],
  [
    'is paid, and has another member now',
    paid,
    { status: 'SUCCESS', memberOriginId: 'M2' },
    [['member-differs', 'it is paid for member M1, the service now names M2', show]],
  ],
  [
    'is refused, and has no member now',
    refused,
    { status: 'CANCELLED', memberOriginId: null },
    [['member-differs', 'it is refused for member M1, the service now names none', show]],
  ],
  ['is in doubt, with another member', unknown, { memberOriginId: 'M2' }, [inDoubt]],
  [
    'was imported as paid, with another member now',
    { ...paid, terms: null },
    { status: 'SUCCESS', memberOriginId: 'M2' },
    [],
  ],
  ['failed before it was paid', seen, { status: 'FAILURE' }, [givenUp]],
  ['failed, of a guest', seen, { status: 'FAILURE', memberOriginId: null }, []],
  ['failed, without an amount', seen, { status: 'FAILURE', amount: null }, []],
  ['failed, of nothing', seen, { status: 'FAILURE', amount: 0n }, []],
  ['is in doubt, with another amount', unknown, { amount: 1n }, [inDoubt]],
  [
    'succeeded without a payment',
    seen,
    { status: 'SUCCESS' },
    [['success-unpaid', 'the service says SUCCESS, the ledger intended', resolve]],
  ],
  [
    'succeeded, and was refused',
    refused,
    { status: 'SUCCESS' },
    [['success-unpaid', 'the service says SUCCESS, the ledger refused', show]],
  ],
  [
    'succeeded, in doubt',
    unknown,
    { status: 'SUCCESS' },
    [['success-unpaid', 'the service says SUCCESS, the ledger unknown', resolve], inDoubt],
  ],
  [
    'is paid, and waits',
    paid,
    {},
    [['not-reported', 'it is paid, and the service still waits', 'reviewctl rewards settle']],
  ],
  [
    'is refused, and waits',
    refused,
    {},
    [['not-reported', 'it is refused, and the service still waits', 'reviewctl rewards settle']],
  ],
  [
    'is paid, and failed',
    paid,
    { status: 'FAILURE' },
    [
      [
        'report-conflict',
        'it is paid, the service says FAILURE',
        'reviewctl rewards update R1 --status SUCCESS',
      ],
    ],
  ],
  [
    'is paid, of no status',
    paid,
    { status: '' },
    [
      [
        'report-conflict',
        'it is paid, the service says nothing of its status',
        'reviewctl rewards update R1 --status SUCCESS',
      ],
    ],
  ],
])(
  'a reward that %s differs between ledger and service only where it should',
  async (_, entry, shown, differences) => {
    expect(await differencesOf({ entries: [entry], shown })).toEqual(differences);
  },
);

it.each<[what: string, shown: Partial<Observation>, differences: readonly string[][]]>([
  ['waits', {}, []],
  ['is of before', { document: earlier, status: 'SUCCESS' }, []],
  ['is of before, and failed', { document: earlier, status: 'FAILURE' }, []],
  ['failed', { status: 'FAILURE' }, [givenUp]],
  [
    'failed at the instant of the ledger',
    { status: 'FAILURE', document: '{"createdAt":"2026-01-01T14:59:00Z"}' },
    [givenUp],
  ],
  ['failed at no instant', { status: 'FAILURE', document: '{"createdAt":0}' }, [givenUp]],
  [
    'succeeded',
    { status: 'SUCCESS' },
    [['success-not-in-ledger', 'SUCCESS was reported to the service without this ledger', reward]],
  ],
])(
  'a reward that the ledger does not know and that %s is named only if it concerns it',
  async (_, shown, differences) => {
    expect(await differencesOf({ shown })).toEqual(differences);
  },
);

const paidByPayer = (message: string, next = resolve) => ['paid-by-payer', message, next];
const takenBack = [
  'not-in-statement',
  'the statement takes this payment back',
  'reviewctl ledger resolve R1 --reversed --ref …',
];
const notNamed = ['not-in-statement', 'the statement does not name this payment', show];
const foreign = (name: string) => [
  'not-in-ledger',
  `${name}, which this ledger never paid`,
  'see whether it is of another shop, or was paid by hand',
];
const success = { status: 'SUCCESS' };
const shrunk = { ...paid, seen: observation({ amount: 1n }) };
const reversal = 'refused is final and already reported to the service: ask the payer to reverse the payment';

it.each<[what: string, compared: Compared, differences: readonly string[][]]>([
  ['named by its key', { entries: [paid], shown: success, rows: [[keyName, 500]] }, []],
  ['named by its reward', { entries: [paid], shown: success, rows: [['reward R1', 500]] }, []],
  ['named by its receipt', { entries: [paid], shown: success, rows: [['ref T1', 500]] }, []],
  ['not named', { entries: [paid], shown: success, rows: [] }, [notNamed]],
  ['not named, after the period', { entries: [paid], shown: success, rows: [], untilMs: nowMs - 1 }, []],
  ['not named, before the period', { entries: [paid], shown: success, rows: [], fromMs: nowMs + 1 }, []],
  [
    'not named, and of no known time',
    { entries: [{ ...paid, lastCallAtMs: null }], shown: success, rows: [], fromMs: 0 },
    [],
  ],
  [
    'named, with another amount at the service since',
    { entries: [shrunk], shown: success, rows: [[keyName, 500]] },
    [],
  ],
  [
    'named as no receipt',
    { entries: [unknown], shown: {}, rows: [['ref null', 5]] },
    [inDoubt, foreign('ref null')],
  ],
  ['not named, and not made', { entries: [seen], shown: {}, rows: [] }, []],
  ['not named, and in doubt', { entries: [unknown], shown: {}, rows: [] }, [inDoubt]],
  [
    'in doubt for no known reason',
    { entries: [{ ...unknown, reason: null }], shown: {} },
    [['unknown', 'the outcome of a call is unknown', 'reviewctl ledger list --payment unknown']],
  ],
  ['taken back later', { entries: [paid], shown: success, rows: [[keyName, -500]] }, [takenBack]],
  [
    'taken back after the period of its call',
    { entries: [paid], shown: success, rows: [[keyName, -500]], fromMs: nowMs + 1 },
    [takenBack],
  ],
  [
    'made and taken back',
    {
      entries: [paid],
      shown: success,
      rows: [
        [keyName, 500],
        [keyName, -500],
      ],
    },
    [takenBack],
  ],
  [
    'made, and taken back under another name',
    {
      entries: [paid],
      shown: success,
      rows: [
        [keyName, 500],
        ['reward R1', -500],
      ],
    },
    [takenBack],
  ],
  [
    'taken back in part',
    {
      entries: [paid],
      shown: success,
      rows: [
        [keyName, 500],
        [keyName, -200],
      ],
    },
    [['amount-differs', 'the payer says 300, the ledger 500', show]],
  ],
  [
    'taken back in part later',
    { entries: [paid], shown: success, rows: [[keyName, -200]] },
    [['amount-differs', 'the payer says 300, the ledger 500', show]],
  ],
  [
    'made twice, and taken back once',
    {
      entries: [paid],
      shown: success,
      rows: [
        [keyName, 500],
        [keyName, 500],
        [keyName, -500],
      ],
    },
    [],
  ],
  [
    'booked as taken back, and not named',
    { entries: [paid], shown: success, rows: [], isReversed: true },
    [],
  ],
  [
    'booked as taken back, and made',
    { entries: [paid], shown: success, rows: [[keyName, 500]], isReversed: true },
    [],
  ],
  [
    'booked as taken back, and made and taken back',
    {
      entries: [paid],
      shown: success,
      rows: [
        [keyName, 500],
        [keyName, -500],
      ],
      isReversed: true,
    },
    [],
  ],
  [
    'booked as taken back, and taken back',
    { entries: [paid], shown: success, rows: [[keyName, -500]], isReversed: true },
    [],
  ],
  [
    'booked as taken back, and taken back in part',
    {
      entries: [paid],
      shown: success,
      rows: [
        [keyName, 500],
        [keyName, -200],
      ],
      isReversed: true,
    },
    [['amount-differs', 'the payer says 300, the ledger that it was taken back', show]],
  ],
  [
    'of another amount',
    { entries: [paid], shown: success, rows: [[keyName, 400]] },
    [['amount-differs', 'the payer says 400, the ledger 500', show]],
  ],
  [
    'made twice',
    {
      entries: [paid],
      shown: success,
      rows: [
        [keyName, 500],
        ['reward R1', 300],
      ],
    },
    [['paid-twice', `paid 2 times, 800 in all: ${keyName}, reward R1`, 'ask the payer to take one back']],
  ],
  [
    'made in doubt',
    { entries: [unknown], shown: {}, rows: [[keyName, 500]] },
    [paidByPayer('the ledger says unknown')],
  ],
  [
    'made and taken back in doubt',
    { entries: [unknown], shown: {}, rows: [[keyName, -500]] },
    [paidByPayer('the ledger says unknown, and the statement shows only that it was taken back')],
  ],
  [
    'made without terms, of another amount',
    { entries: [seen], shown: {}, rows: [['reward R1', 400]] },
    [paidByPayer('the ledger says intended'), ['amount-differs', 'the payer says 400, the ledger 500', show]],
  ],
  [
    'refused and made',
    { entries: [refused], shown: { status: 'CANCELLED' }, rows: [[keyName, 500]] },
    [paidByPayer('the ledger says refused', reversal)],
  ],
  [
    'refused and taken back',
    { entries: [refused], shown: { status: 'CANCELLED' }, rows: [[keyName, -500]] },
    [],
  ],
  [
    'made under the last of three later keys',
    { entries: [seen], shown: {}, rows: [[keyNameOf(3), 500]] },
    [paidByPayer('the ledger says intended')],
  ],
  [
    'made under no key that it can have had',
    { entries: [seen], shown: {}, rows: [[keyNameOf(4), 500]] },
    [foreign(keyNameOf(4))],
  ],
  [
    'made under an earlier key',
    { entries: [{ ...seen, keyGeneration: 2 }], shown: {}, rows: [[keyName, 500]] },
    [paidByPayer('the ledger says intended')],
  ],
  ['of another shop', { rows: [['ref T9', 5]] }, [foreign('ref T9')]],
  [
    'not in the ledger, and its reward waits',
    { shown: {}, rows: [['reward R1', 500]] },
    [paidByPayer('the ledger does not know it')],
  ],
  [
    'not in the ledger, of another amount than its reward',
    { shown: { amount: null }, rows: [['reward R1', 500]] },
    [
      paidByPayer('the ledger does not know it'),
      ['amount-differs', 'the payer says 500, the ledger no exact amount', show],
    ],
  ],
  [
    'not in the ledger, and its reward failed',
    { shown: { status: 'FAILURE' }, rows: [['reward R1', 500]] },
    [paidByPayer('the ledger does not know it')],
  ],
  [
    'not in the ledger, and reported',
    { shown: success, rows: [['reward R1', 500]] },
    [paidByPayer('the ledger does not know it')],
  ],
  ['of before, and reported', { shown: { document: earlier, ...success }, rows: [['reward R1', 500]] }, []],
  [
    'of before, and not reported',
    { shown: { document: earlier }, rows: [['reward R1', 500]] },
    [paidByPayer('the ledger does not know it')],
  ],
  [
    'of before and reported, under a key of the ledger',
    { shown: { document: earlier, ...success }, rows: [[keyName, 500]] },
    [paidByPayer('the ledger does not know it')],
  ],
])(
  'a payment that is %s differs between ledger and payer only where it should',
  async (_, compared, differences) => {
    expect(await differencesOf(compared)).toEqual(differences);
  },
);

it('a reward of the ledger that the service does not show is named with its last status', async () => {
  expect(await differencesOf({ entries: [seen] })).toEqual([
    ['not-at-service', 'it was QUEUED when it was last seen', show],
  ]);
  const blank = { ...seen, seen: { ...seen.seen, status: '' } };
  expect(await differencesOf({ entries: [blank] })).toEqual([
    ['not-at-service', 'it was of no status when it was last seen', show],
  ]);
});

it('a difference shows what each side says', async () => {
  const shown = { status: 'QUEUED', amount: 4_000_000n };
  const { found } = await compare({ entries: [paid], shown, rows: [[keyName, 300]] });
  const about = {
    rewardId: 'R1',
    payment: 'paid',
    report: paid.report,
    ledgerAmount: 500,
    key: keyName.slice('key '.length),
  };
  const service = { ...about, status: 'QUEUED', line: null };
  expect(found).toMatchObject([
    { ...service, kind: 'amount-differs', otherAmount: 400 },
    { ...service, kind: 'not-reported', otherAmount: null },
    { ...about, kind: 'amount-differs', status: null, line: 2, otherAmount: 300 },
  ]);
});

it('a difference of what the ledger does not know shows the other side alone', async () => {
  const { found } = await compare({ shown: success, rows: [['ref T8', 5]] });
  const none = { payment: null, report: null, ledgerAmount: null, key: null };
  expect(found).toMatchObject([
    {
      ...none,
      kind: 'success-not-in-ledger',
      rewardId: 'R1',
      status: 'SUCCESS',
      otherAmount: 500,
      line: null,
    },
    { ...none, kind: 'not-in-ledger', rewardId: null, status: null, otherAmount: 5, line: 2 },
  ]);
});

it('the amount of the ledger is that of its terms, whatever the service shows since', async () => {
  const { found } = await compare({ entries: [{ ...paid, seen: observation({ amount: 1n }) }] });
  expect(found).toMatchObject([{ kind: 'not-at-service', ledgerAmount: 500 }]);
});

it('an amount without terms is the one that the service last showed', async () => {
  const { found } = await compare({ entries: [seen], shown: { status: 'SUCCESS' } });
  expect(found).toMatchObject([{ kind: 'success-unpaid', ledgerAmount: 500, key: null }]);
});

it.each<[what: string, compared: Compared, lacking: readonly LackingPayment[]]>([
  ['is paid', { entries: [paid], shown: success, rows: [[keyName, 500]] }, []],
  ['was refused', { entries: [refused], shown: {}, rows: [[keyName, 500]] }, []],
  ['was of before', { shown: { document: earlier, ...success }, rows: [['reward R1', 500]] }, []],
  [
    'is in doubt',
    { entries: [unknown], rows: [[keyName, 500]] },
    [{ name: keyName, line: 2, rewardId: 'R1' }],
  ],
  ['is new', { shown: {}, rows: [['reward R1', 500]] }, [{ name: 'reward R1', line: 2, rewardId: 'R1' }]],
  ['is unknown', { rows: [['ref T9', 5]] }, [{ name: 'ref T9', line: 2, rewardId: null }]],
])(
  'a stated payment whose reward %s is lacking only if it could be made again',
  async (_, compared, lacking) => {
    expect((await compare(compared)).lacking).toEqual(lacking);
  },
);

it('the entries that have been compared are counted page by page', async () => {
  const { counts } = await compare({ entries: [seen, { ...seen, rewardId: 'R2' }] });
  expect(counts).toEqual([1, 2]);
});

it('the differences are the same where nobody asks what is lacking, or how far it is', async () => {
  const statement = new Statement();
  for (const [index, name] of ['reward R1', 'reward R2', 'ref T9'].entries())
    statement.add(index + 2, name, 5_000_000n);
  const ledger = { identity, ...readLedger([{ ...unknown, rewardId: 'R2' }]) };
  const service = { all: () => pagesOf([{ rewardId: 'R1', seen: observation() }]) };
  const kinds: string[] = [];
  for await (const { kind } of reconcile(ledger, service, { statement, fromMs: 0, untilMs: nowMs }))
    kinds.push(kind);
  expect(kinds).toEqual(['paid-by-payer', 'not-at-service', 'paid-by-payer', 'not-in-ledger']);
});
