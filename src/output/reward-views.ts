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
