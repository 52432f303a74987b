import type { Progress } from '../../../output/terminal/progress.ts';
import type { ReadRewards } from '../../../settle/flow/reward-service.ts';

/** Shows how far lists of rewards have been read. */
export function rewardProgress(progress: Progress): (read: ReadRewards) => void {
  return ({ status, done, total }) =>
    progress.update({ label: `reading ${status === undefined ? '' : `${status} `}rewards`, done, total });
}
