import { rewardView } from '../../../output/views/views.ts';
import { recordCommand } from '../../templates/record/record-command.ts';

export const command = recordCommand({
  operation: 'updateReward',
  view: rewardView,
  examples: [
    'reviewctl rewards update 99 --status CANCELLED --dry-run',
    'reviewctl rewards update 99 --status CANCELLED',
  ],
});
