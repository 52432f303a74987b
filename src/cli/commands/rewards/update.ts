import { rewardView } from '../../../output/views/views.ts';
import { writeCommand } from '../../templates/record/record-command.ts';

export const command = writeCommand({
  operation: 'updateReward',
  view: rewardView,
  examples: [
    'reviewctl rewards update 99 --status CANCELLED --dry-run',
    'reviewctl rewards update 99 --status CANCELLED',
  ],
});
