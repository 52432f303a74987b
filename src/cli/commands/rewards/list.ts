import { rewardView } from '../../../output/views/views.ts';
import { listCommand } from '../../templates/list/list-command.ts';

export const command = listCommand({
  operation: 'listRewards',
  view: rewardView,
  // The time filters of rewards refer to the review (assumption `rewardTimeMeans`), so they miss changes of status.
  changes: {
    kind: 'timed',
    path: 'review.updatedAt',
  },
  hasTimes: true,
  examples: [
    'reviewctl rewards list --status QUEUED',
    'reviewctl rewards list --status QUEUED -o count',
    'reviewctl rewards list --since-last nightly -o csv',
  ],
});
