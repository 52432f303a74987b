import { expect, it } from 'vitest';
import { readKind, readReport, storedKind, storedReport } from '../../src/store/ledger/stored-words.ts';

const kinds = {
  seen: 'seen',
  claimed: 'claimed',
  paid: 'paid',
  refused: 'refused',
  'sent-back': 'released',
  lost: 'outcome-unknown',
  told: 'sent',
  confirmed: 'confirmed',
  conflict: 'conflict',
  resolved: 'resolved',
  adopted: 'imported',
  reversed: 'reversed',
} as const;
const reports = { open: 'pending', told: 'sent', confirmed: 'confirmed', conflict: 'conflict' } as const;

it.each(Object.entries(kinds))(
  'the event that ledgers store as %s is read as %s, and written so again',
  (stored, kind) => {
    expect([readKind(stored), storedKind(kind)]).toEqual([kind, stored]);
  },
);

it.each(Object.entries(reports))('a report stored as %s is %s, and is stored as before', (stored, report) => {
  expect([readReport(stored), storedReport(report)]).toEqual([report, stored]);
});

it('a word that no ledger stores is not guessed', () => {
  expect(() => readKind('sent')).toThrow("no ledger stores the word 'sent'");
});
