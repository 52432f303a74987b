import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { journalHeader, journalTransaction } from '../../src/output/formats/hledger-journal.ts';
import type { Booking } from '../../src/settle/manual/ledger-bookings.ts';
import { balanceOf, hledgerBalance } from '../cli/journal-balance.ts';
import { temporaryFolder } from '../cli/run-cli.ts';
import { hostileTexts } from './hostile-text.ts';

const syntax = [
  '',
  ' ',
  '; x',
  '| y',
  '(code) z',
  '! a',
  '* b',
  '[2026-02-30]',
  ', date:1',
  'date:2026-13-01',
  '%3B',
  '\n    a  1',
  '\r\n2026-01-01 x',
  '\t',
  '=',
  '"',
  '한글 적립',
];
const texts = [...syntax, ...Object.values(hostileTexts).flat().map(String)];

const booking = (text: string, seq: number): Booking => ({
  seq,
  atMs: 0,
  rewardId: text,
  kind: 'paid',
  debit: 'paid',
  credit: 'payer',
  amount: 10_001n,
  key: text,
  ref: text,
  memberOriginId: text,
});

test('no id, receipt or shop changes the meaning of a journal, and the smallest amounts are exact', () => {
  const transactions = texts.map((text, index) =>
    journalTransaction(booking(text, index), { date: '2026-11-01', time: '09:00:00', hasIds: true }),
  );
  const journal = [journalHeader(texts), ...transactions].join('');
  const total = String(Number((texts.length * 1.0001).toFixed(4)));
  const expected = { 'assets:payer': `-${total}`, 'expenses:rewards:paid': total };
  expect(balanceOf(journal)).toEqual(expected);
  const path = join(temporaryFolder(), 'hostile.journal');
  writeFileSync(path, journal);
  expect(hledgerBalance(path) ?? expected).toEqual(expected);
});

test('a transaction is two lines of an amount below its date, reward and tags', () => {
  const text = journalTransaction(
    { ...booking('R1', 7), key: 'rv1-a', ref: 'line 1' },
    { date: '2026-11-01', time: '09:00:00', hasIds: false },
  );
  expect(text).toBe(`
2026-11-01 reward R1 paid  ; seq:7, time:09.00.00, key:rv1-a, ref:line 1
    expenses:rewards:paid              1.0001
    assets:payer                      -1.0001
`);
});
