import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { ledgerBookings } from '../../src/settle/manual/ledger-bookings.ts';
import type { EventKind, LedgerEntry, LedgerEvent, PaymentState } from '../../src/store/ledger/ledger.ts';
import { nowMs, observation, paid, seen } from './entries.ts';
import { readLedger } from './read-ledger.ts';

const terms = { amount: '500', key: 'k', memberOriginId: 'M1' };

/** Events by name: kind, resulting state of the payment, and detail. */
const named: Readonly<
  Record<string, readonly [kind: EventKind, payment: PaymentState, detail?: JsonObject]>
> = {
  claimed: ['claimed', 'paying', terms],
  lost: ['unknown', 'unknown'],
  paid: ['paid', 'paid'],
  refused: ['refused', 'refused'],
  released: ['released', 'intended'],
  seen: ['seen', 'intended'],
  'seen-paying': ['seen', 'paying'],
  'seen-unknown': ['seen', 'unknown'],
  sent: ['reported', 'paid'],
  confirmed: ['reported', 'paid'],
  conflict: ['reported', 'paid'],
  'found-paid': ['paid', 'paid'],
  'found-unpaid': ['released', 'intended'],
  reversed: ['reversed', 'paid', { amount: '500' }],
  imported: ['paid', 'paid', { ...terms, evidence: 'list' }],
  'recorded-by-person': ['paid', 'paid', { ...terms, ref: 'T1', evidence: 'person' }],
};

type Happened = string | readonly [name: string, detail: JsonObject, rewardId?: string];

function eventsOf(happened: readonly Happened[]): readonly LedgerEvent[] {
  return happened.map((one, index) => {
    const [name, changed, rewardId = 'R1'] = typeof one === 'string' ? [one] : one;
    const [kind, payment, detail = {}] = named[name] ?? expect.unreachable(name);
    return {
      ...{ seq: index + 1, atMs: nowMs + index, rewardId, kind, by: 'run', payment },
      ...{ report: 'pending', attempt: 1, detail: changed ?? detail },
    };
  });
}

async function bookingsOf(happened: readonly Happened[], entries: readonly LedgerEntry[] = []) {
  const found = [];
  for await (const page of ledgerBookings(readLedger(entries, eventsOf(happened)))) found.push(...page);
  return found;
}

it.each([
  ['is paid', 'claimed paid', '2 paid: paid from payer'],
  ['is refused', 'claimed refused', ''],
  ['is released', 'claimed released', ''],
  ['is only seen and reported', 'seen sent confirmed conflict', ''],
  ['is lost', 'claimed lost', '2 unknown: unknown from payer'],
  [
    'is lost twice, and paid',
    'claimed lost claimed lost claimed paid',
    '2 unknown: unknown from payer, 6 found-paid: paid from unknown',
  ],
  [
    'is lost, and refused',
    'claimed lost claimed refused',
    '2 unknown: unknown from payer, 4 found-unpaid: payer from unknown',
  ],
  [
    'is lost, and released',
    'claimed lost released',
    '2 unknown: unknown from payer, 3 found-unpaid: payer from unknown',
  ],
  [
    'is lost, and seen until it was found to be paid by a person',
    'claimed lost seen-unknown found-paid',
    '2 unknown: unknown from payer, 4 found-paid: paid from unknown',
  ],
  [
    'is lost, and found to be unpaid by a person',
    'claimed lost found-unpaid',
    '2 unknown: unknown from payer, 3 found-unpaid: payer from unknown',
  ],
  ['is found to be unpaid before it was lost', 'claimed found-unpaid', ''],
  ['is resolved as paid before it was lost', 'claimed found-paid', '2 paid: paid from payer'],
  [
    'is released, and paid later',
    'claimed lost released claimed paid',
    '2 unknown: unknown from payer, 3 found-unpaid: payer from unknown, 5 paid: paid from payer',
  ],
  [
    'is taken back by the payer',
    'claimed paid reversed',
    '2 paid: paid from payer, 3 reversed: payer from paid',
  ],
  [
    'was imported, and taken back by the payer',
    'imported reversed',
    '1 imported: imported from earlier, 2 reversed: payer from imported',
  ],
  [
    'a person recorded before a run saw it, and the payer took back',
    'recorded-by-person reversed',
    '1 paid: paid from payer, 2 reversed: payer from paid',
  ],
  ['was imported', 'imported', '1 imported: imported from earlier'],
  ['a person recorded before a run saw it', 'recorded-by-person', '1 paid: paid from payer'],
])('a payment that %s (%s) is booked as what moved', async (_, happened, bookings) => {
  const ours = {
    ...paid,
    terms: { ...paid.terms, key: 'k', amount: 5_000_000n, memberOriginId: 'M1', document: '{}' },
  };
  const found = await bookingsOf(happened.split(' '), [ours]);
  const lines = found.map(({ seq, kind, debit, credit }) => `${seq} ${kind}: ${debit} from ${credit}`);
  expect(lines.join(', ')).toBe(bookings);
  for (const { amount, key, memberOriginId } of found) {
    expect({ amount, key, memberOriginId }).toEqual({ amount: 5_000_000n, key: 'k', memberOriginId: 'M1' });
  }
});

it('payments that are open at the same time are booked with their own terms', async () => {
  const other = { amount: '2.5', key: 'l', memberOriginId: 'M2' };
  const found = await bookingsOf([
    'claimed',
    ['claimed', other, 'R2'],
    'seen-paying',
    ['paid', { ref: 'T2' }, 'R2'],
    ['paid', { ref: 7 }],
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
  expect(await bookingsOf([['imported', { amount: null, evidence: 'list' }]])).toMatchObject([
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
  expect(await bookingsOf([['found-paid', { ref: 'T1' }]], entries)).toMatchObject([
    { kind: 'paid', ref: 'T1', ...expected },
  ]);
});
