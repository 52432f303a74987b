import { expect, it } from 'vitest';
import type { Failure } from '../../src/base/failure.ts';
import { checkRestored } from '../../src/settle/manual/check-restored.ts';
import type { LedgerEntry } from '../../src/store/ledger/ledger.ts';
import type { LackingPayment } from '../../src/store/ledger/ledger-custody.ts';
import { paid, seen } from './entries.ts';
import { newLedger, readLedger } from './read-ledger.ts';

interface Restored {
  readonly isRestored?: boolean;
  readonly comparedAtMs?: number | null;
  readonly lacking?: readonly LackingPayment[];
  readonly entries?: readonly LedgerEntry[];
  readonly isWithoutStatement?: boolean;
}

/** Why a restored ledger may not pay again; undefined if it may. */
async function fault({
  isRestored = true,
  comparedAtMs = 2,
  lacking = [],
  entries = [],
  isWithoutStatement = false,
}: Restored): Promise<Partial<Failure> | undefined> {
  const restoration = isRestored ? { atMs: 1, acceptedAtMs: 1, comparedAtMs, lostEvents: null } : null;
  const meta = async () => ({ ...newLedger, restoration });
  const ledger = { ...readLedger(entries), meta, custody: { lacking: async () => lacking } };
  const check = checkRestored(ledger, { isWithoutStatement });
  return check.then(() => undefined).catch(({ kind, message, hint }: Failure) => ({ kind, message, hint }));
}

const lacks = (rewardId: string | null, line = 2): LackingPayment => ({
  name: `ref T${line}`,
  line,
  rewardId,
});
const some = (length: number, of: (index: number) => LackingPayment) =>
  Array.from({ length }, (_, index) => of(index));
const many = (of: (index: number) => LackingPayment) => some(21, of);
const twenty = (of: (index: number) => string) => Array.from({ length: 20 }, (_, index) => of(index));

it.each<[what: string, restored: Restored]>([
  ['was never restored', { isRestored: false, comparedAtMs: null, lacking: [lacks('R1')] }],
  ['was compared, and lacks nothing', {}],
  ['has by now what it lacked', { lacking: [lacks('R1')], entries: [paid] }],
  ['has no statement, as a person says', { comparedAtMs: null, isWithoutStatement: true }],
  ['lacks what is of others, as a person says', { lacking: [lacks(null)], isWithoutStatement: true }],
])('a ledger that %s may pay', async (_, restored) => {
  expect(await fault(restored)).toBeUndefined();
});

const compare = 'reviewctl ledger reconcile --payer-statement FILE --statement-end now';
const foreignHint =
  'if one belongs to a reward of this shop, record it (reviewctl ledger resolve ID --paid --ref …) and ' +
  'compare again; if all belong to others: reviewctl ledger unfreeze --without-statement';

it.each<[what: string, restored: Restored, message: string, hint: string]>([
  [
    'was never compared',
    { comparedAtMs: null },
    'this ledger was restored, and its payments since the backup are unknown; it stays frozen',
    `compare it with a payer statement: ${compare}; if there is no statement, rewards may be paid twice: ` +
      'reviewctl ledger unfreeze --without-statement',
  ],
  [
    'lacks a payment, whatever a person says',
    { lacking: [lacks('R1')], entries: [seen], isWithoutStatement: true },
    'the payer paid a reward that this restored ledger does not have as paid: R1; it stays frozen',
    'record them as paid: reviewctl ledger resolve --paid --ref … R1; then: reviewctl ledger unfreeze',
  ],
  [
    'lacks two payments',
    { lacking: [lacks('R1'), lacks('R 2')] },
    'the payer paid 2 rewards that this restored ledger does not have as paid: R1 R 2; it stays frozen',
    "record them as paid: reviewctl ledger resolve --paid --ref … R1 'R 2'; then: reviewctl ledger unfreeze",
  ],
  [
    'lacks many payments',
    { lacking: many((index) => lacks(`R${index}`)) },
    `the payer paid 21 rewards that this restored ledger does not have as paid: ${twenty((index) => `R${index}`).join(' ')} and 1 more; it stays frozen`,
    `record them as paid: reviewctl ledger resolve --paid --ref … ${twenty((index) => `R${index}`).join(' ')} …; then: reviewctl ledger unfreeze`,
  ],
  [
    'was compared with payments of no known reward',
    { lacking: [lacks(null, 2), lacks(null, 3)] },
    'the statement names payments that belong to no known reward: line 2 (ref T2), line 3 (ref T3); the restored ledger stays frozen',
    foreignHint,
  ],
  [
    'lacks as many payments as are named',
    { lacking: some(20, (index) => lacks(`R${index}`)) },
    `the payer paid 20 rewards that this restored ledger does not have as paid: ${twenty((index) => `R${index}`).join(' ')}; it stays frozen`,
    `record them as paid: reviewctl ledger resolve --paid --ref … ${twenty((index) => `R${index}`).join(' ')}; then: reviewctl ledger unfreeze`,
  ],
  [
    'was compared with as many such payments as are named',
    { lacking: some(20, (index) => lacks(null, index)) },
    `the statement names payments that belong to no known reward: ${twenty((index) => `line ${index} (ref T${index})`).join(', ')}; the restored ledger stays frozen`,
    foreignHint,
  ],
  [
    'was compared with many such payments',
    { lacking: many((index) => lacks(null, index)) },
    `the statement names payments that belong to no known reward: ${twenty((index) => `line ${index} (ref T${index})`).join(', ')} and 1 more; the restored ledger stays frozen`,
    foreignHint,
  ],
])('a ledger that %s stays frozen', async (_, restored, message, hint) => {
  expect(await fault(restored)).toEqual({ kind: 'guard', message, hint });
});
