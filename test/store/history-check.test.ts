import { describe, expect, it, test } from 'vitest';
import { createHistoryCheck, wrongInReward } from '../../src/store/ledger/history-check.ts';
import type { EventKind, LedgerEntry } from '../../src/store/ledger/ledger.ts';
import type { Posting } from '../../src/store/ledger/ledger-invariants.ts';
import {
  type Column,
  entryValues,
  eventValues,
  type LedgerRow,
  type LedgerTable,
  sealedColumns,
} from '../../src/store/ledger/ledger-rows.ts';
import { paid, paying, seen } from '../settle/entries.ts';

function rowOf(table: LedgerTable, values: readonly Column[]): LedgerRow {
  return Object.fromEntries(
    [...Object.keys(sealedColumns[table]), 'seal'].map((name, index) => [name, values[index] ?? null]),
  );
}

function eventOf(seq: number, kind: EventKind, entry: LedgerEntry, posting?: Posting): LedgerRow {
  const { amount = 0n } = entry.terms ?? {};
  const posted = posting === undefined ? undefined : { kind: posting, amount, scopes: paying.scopes };
  return rowOf('event', eventValues(entry, { kind, detail: {} }, { seq, atMs: 0, by: 'run', posted }));
}

const observed = eventOf(1, 'seen', seen);
const claimed = eventOf(2, 'claimed', paying, 'reserve');
const settled = eventOf(3, 'paid', paid, 'spend');
const ofOther = eventOf(4, 'seen', { ...seen, rewardId: 'R2' });
const changed = (row: LedgerRow): LedgerRow => ({ ...row, by: 'somebody' });
const rowsOf = (...entries: readonly LedgerEntry[]) =>
  new Map(entries.map((entry) => [entry.rewardId, rowOf('reward', entryValues(entry))]));

/** The problems of a history, once read completely. */
function wrongIn(events: readonly LedgerRow[], rows: ReadonlyMap<string, LedgerRow>): readonly string[] {
  const check = createHistoryCheck();
  const lastOf = (rewardId: string) => events.findLast((event) => event['reward_id'] === rewardId);
  const words = [...events.map(check), ...[...rows].map(([id, row]) => wrongInReward(row, lastOf(id)))];
  return words.filter((why) => why !== undefined);
}

describe('the history of rewards', () => {
  const other = { ...seen, rewardId: 'R2' };

  test('is right where it follows the law and leads to its entries', () => {
    expect(wrongIn([observed, claimed, settled, ofOther], rowsOf(paid, other))).toEqual([]);
    expect(wrongIn([], new Map())).toEqual([]);
  });

  it.each<[string, readonly LedgerRow[], ReadonlyMap<string, LedgerRow>, readonly string[]]>([
    [
      'whose entry was changed',
      [observed],
      new Map([['R1', { ...rowOf('reward', entryValues(seen)), payment: 'paid' }]]),
      ['reward R1: it was changed after it was written'],
    ],
    [
      'whose entry stands elsewhere',
      [observed, claimed, settled],
      rowsOf(seen),
      [
        'reward R1: its events lead to paid and pending, attempt 1, key generation 0, but it is intended and pending, ' +
          'attempt 0, key generation 0',
      ],
    ],
    [
      'that leaves out an event',
      [observed, settled],
      rowsOf(paid),
      [expect.stringMatching(/^event 3 of reward R1: 'paid' leads from attempt 0 to 1/)],
    ],
    [
      'that begins in its middle',
      [claimed, settled],
      rowsOf(paid),
      [expect.stringMatching(/^event 2 of reward R1: /)],
    ],
    [
      'of which an event was changed, behind which it is judged no further than to its end',
      [observed, changed(claimed), settled],
      rowsOf(paid),
      ['event 2: it was changed after it was written'],
    ],
    [
      'whose last event was changed',
      [observed, changed(claimed)],
      rowsOf(seen),
      ['event 2: it was changed after it was written'],
    ],
    [
      'of which an event was changed, and whose entry stands elsewhere',
      [observed, changed(claimed), settled],
      rowsOf(seen),
      [
        'event 2: it was changed after it was written',
        expect.stringMatching(/^reward R1: its events lead to paid and pending, /),
      ],
    ],
  ])('%s is wrong', (_, events, rows, words) => {
    expect(wrongIn(events, rows)).toEqual(words);
  });
});

it.each([
  ['moves no money', eventOf(2, 'claimed', paying), "'claimed' has the posting none instead of reserve"],
  ['moves money', eventOf(2, 'seen', seen, 'release'), "'seen' has the posting release instead of none"],
])('an event of a history that %s against the law is wrong', (_, event, why) => {
  const entry = event['kind'] === 'seen' ? seen : paying;
  expect(wrongIn([observed, event], rowsOf(entry))).toEqual([`event 2 of reward R1: ${why}`]);
});
