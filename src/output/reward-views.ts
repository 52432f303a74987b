import type { View } from './view.ts';

/** What became of a reward in a settlement, or what would. */
export const rewardOutcomeView: View = {
  noun: 'reward',
  id: 'rewardId',
  csvColumns: ['rewardId', 'amount', 'memberOriginId', 'outcome', 'told', 'key', 'ref', 'reason'],
  columns: [
    { header: 'reward', path: 'rewardId', kind: 'word' },
    { header: 'amount', path: 'amount', kind: 'number' },
    { header: 'member', path: 'memberOriginId', kind: 'word' },
    { header: 'outcome', path: 'outcome', kind: 'word' },
    { header: 'told', path: 'told', kind: 'word' },
    { header: 'ref', path: 'ref', kind: 'word', isOptional: true },
    { header: 'reason', path: 'reason', kind: 'text', width: 40 },
  ],
};

/** A ledger that was made. */
export const newLedgerView: View = {
  noun: 'ledger',
  id: 'ledger',
  csvColumns: [
    'ledger',
    'shop',
    'origin',
    'queued.count',
    'queued.amount',
    'takenOver.count',
    'takenOver.queued.count',
    'takenOver.queued.amount',
  ],
  columns: [
    { header: 'ledger', path: 'ledger', kind: 'word' },
    { header: 'shop', path: 'shop', kind: 'word' },
    { header: 'queued', path: 'queued.count', kind: 'number' },
    { header: 'amount', path: 'queued.amount', kind: 'number' },
    { header: 'taken over', path: 'takenOver.count', kind: 'number' },
  ],
};
