import { rewardView } from '../../output/views.ts';
import { listCommand } from '../list-command.ts';

export const rewardsList = listCommand('listRewards', rewardView, [
  'reviewctl rewards list --status QUEUED',
  'reviewctl rewards list --status QUEUED -o count',
]);
