import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { ledgerBookings } from '../../src/settle/manual/ledger-bookings.ts';
import type { EventKind, LedgerEntry, LedgerEvent, PaymentState } from '../../src/store/ledger/ledger.ts';
import { nowMs, observation, paid, seen } from './entries.ts';
import { readLedger } from './read-ledger.ts';

type Happened = readonly [kind: EventKind, payment: PaymentState, detail?: JsonObject, rewardId?: string];

const terms = { amount: '500', key: 'k', memberOriginId: 'M1' };
const claimed: Happened = ['claimed', 'paying', terms];
const lost: Happened = ['outcome-unknown', 'unknown'];

function eventsOf(happened: readonly Happened[]): readonly LedgerEvent[] {
  return happened.map(([kind, payment, detail = {}, rewardId = 'R1'], index) => ({
    seq: index + 1,
    atMs: nowMs + index,
    rewardId,
    kind,
    by: 'run',
    payment,
    report: 'pending',
    attempt: 1,
    detail,
  }));
}

async function bookingsOf(happened: readonly Happened[], entries: readonly LedgerEntry[] = []) {
  const found = [];
  for await (const page of ledgerBookings(readLedger(entries, eventsOf(happened)))) found.push(...page);
  return found;
}

it.each<[what: string, happened: readonly Happened[], bookings: readonly string[]]>([
  ['is paid', [claimed, ['paid', 'paid']], ['2 paid: paid from payer']],
  ['is refused', [claimed, ['refused', 'refused']], []],
  ['is released', [claimed, ['released', 'intended']], []],
  [
    'is only seen and reported',
    [
      ['seen', 'intended'],
      ['sent', 'paid'],
      ['confirmed', 'paid'],
      ['conflict', 'paid'],
    ],
    [],
  ],
  ['is lost', [claimed, lost], ['2 unknown: unknown from payer']],
  [
    'is lost twice, and paid',
    [claimed, lost, claimed, lost, claimed, ['paid', 'paid']],
    ['2 unknown: unknown from payer', '6 found-paid: paid from unknown'],
  ],
  [
    'is lost, and refused',
    [claimed, lost, claimed, ['refused', 'refused']],
    ['2 unknown: unknown from payer', '4 found-unpaid: payer from unknown'],
  ],
  [
    'is lost, and released',
    [claimed, lost, ['released', 'intended']],
    ['2 unknown: unknown from payer', '3 found-unpaid: payer from unknown'],
  ],
  [
    'is lost, and seen until it was found to be paid by a person',
    [claimed, lost, ['seen', 'unknown'], ['resolved', 'paid']],
    ['2 unknown: unknown from payer', '4 found-paid: paid from unknown'],
  ],
  [
    'is lost, and found to be unpaid by a person',
    [claimed, lost, ['resolved', 'intended']],
    ['2 unknown: unknown from payer', '3 found-unpaid: payer from unknown'],
  ],
  ['is found to be unpaid before it was lost', [claimed, ['resolved', 'intended']], []],
  ['is resolved as paid before it was lost', [claimed, ['resolved', 'paid']], ['2 paid: paid from payer']],
  [
    'is released, and paid later',
    [claimed, lost, ['released', 'intended'], claimed, ['paid', 'paid']],
    ['2 unknown: unknown from payer', '3 found-unpaid: payer from unknown', '5 paid: paid from payer'],
  ],
  [
    'is taken back by the payer',
    [claimed, ['paid', 'paid'], ['reversed', 'paid', { amount: '500' }]],
    ['2 paid: paid from payer', '3 reversed: payer from paid'],
  ],
  [
    'was imported, and taken back by the payer',
    [
      ['imported', 'paid', terms],
      ['reversed', 'paid', { amount: '500' }],
    ],
    ['1 imported: imported from earlier', '2 reversed: payer from imported'],
  ],
  [
    'a person recorded before a run saw it, and the payer took back',
    [
      ['imported', 'paid', { ...terms, ref: 'T1' }],
      ['reversed', 'paid', { amount: '500' }],
    ],
    ['1 paid: paid from payer', '2 reversed: payer from paid'],
  ],
  ['was imported', [['imported', 'paid', terms]], ['1 imported: imported from earlier']],
  [
    'a person recorded before a run saw it',
    [['imported', 'paid', { ...terms, ref: 'T1' }]],
    ['1 paid: paid from payer'],
  ],
])('a payment that %s is booked as what moved', async (_, happened, bookings) => {
  const ours = {
    ...paid,
    terms: { ...paid.terms, key: 'k', amount: 5_000_000n, memberOriginId: 'M1', document: '{}' },
  };
  const found = await bookingsOf(happened, [ours]);
  expect(found.map(({ seq, kind, debit, credit }) => `${seq} ${kind}: ${debit} from ${credit}`)).toEqual(
    bookings,
  );
  for (const { amount, key, memberOriginId } of found) {
    expect({ amount, key, memberOriginId }).toEqual({ amount: 5_000_000n, key: 'k', memberOriginId: 'M1' });
  }
});

it('payments that are open at the same time are booked with their own terms', async () => {
  const other = { amount: '2.5', key: 'l', memberOriginId: 'M2' };
  const found = await bookingsOf([
    claimed,
    ['claimed', 'paying', other, 'R2'],
    ['seen', 'paying'],
    ['paid', 'paid', { ref: 'T2' }, 'R2'],
    ['paid', 'paid', { ref: 7 }],
  ]);
  expect(found).toMatchObject([
    { seq: 4, atMs: nowMs + 3, rewardId: 'R2', amount: 25_000n, key: 'l', ref: 'T2', memberOriginId: 'M2' },
    {
      seq: 5,
      atMs: nowMs + 4,
      rewardId: 'R1',
      amount: 5_000_000n,
      key: 'k',
      ref: null,
      memberOriginId: 'M1',
    },
  ]);
});

it('what was imported without terms is booked without them', async () => {
  expect(await bookingsOf([['imported', 'paid']])).toMatchObject([
    { amount: 0n, key: null, ref: null, memberOriginId: null },
  ]);
});

it.each<[what: string, entries: readonly LedgerEntry[], expected: object]>([
  ['by its terms', [paid], { amount: 5_000_000n, key: paid.terms?.key, memberOriginId: 'M1' }],
  [
    'by its terms, whatever was seen since',
    [{ ...paid, seen: observation({ amount: 1n, memberOriginId: 'M2' }) }],
    { amount: 5_000_000n, key: paid.terms?.key, memberOriginId: 'M1' },
  ],
  ['as it was seen, before it had terms', [seen], { amount: 5_000_000n, key: null, memberOriginId: 'M1' }],
  ['without anything, where it is not known', [], { amount: 0n, key: null, memberOriginId: null }],
])('what a person found to be paid, and no run claimed, is booked %s', async (_, entries, expected) => {
  expect(await bookingsOf([['resolved', 'paid', { ref: 'T1' }]], entries)).toMatchObject([
    { kind: 'paid', ref: 'T1', ...expected },
  ]);
});
