import { rewardDocument } from '../rules/documents.ts';
import { allOf, inTimeRange, isOneOf, when } from '../rules/filters.ts';
import type { OperationHandlers } from '../rules/handlers.ts';
import { done, doneUpdate, invalid, notFound } from '../state/outcome.ts';
import type { RewardRecord } from '../state/records.ts';

/** API 4.18 and 4.19, and the opt-in lookup of one reward. Newest first: the document shows no order. */
export const rewardHandlers: OperationHandlers<'listRewards' | 'updateReward' | 'getReward'> = {
  listRewards: (visit, { query }) => {
    const { world, assumptions } = visit;
    const dated = (reward: RewardRecord) =>
      assumptions.rewardTimeMeans === 'reward' ? reward : world.reviews.get(reward.reviewId);
    return visit.listings.page<RewardRecord>(
      {
        operation: 'listRewards',
        sort: 'ID',
        direction: 'DESC',
        collection: world.rewards,
        matches: allOf<RewardRecord>([
          when(query.status, (status) => (reward) => reward.status === status),
          isOneOf(query.reviewCategories, (reward) => reward.reviewCategory),
          inTimeRange(
            query.createdAtStart,
            query.createdAtEnd,
            assumptions,
            (reward) => dated(reward)?.createdAt,
          ),
          inTimeRange(
            query.updatedAtStart,
            query.updatedAtEnd,
            assumptions,
            (reward) => dated(reward)?.updatedAt,
          ),
        ]),
        keyOf: (reward) => Number(reward.id),
        affectedBy: ({ collection, id }) =>
          collection === 'reviews' ? world.rewards.find('reviewId', id).map((reward) => reward.id) : [],
        present: (reward) => rewardDocument(visit, reward),
      },
      query,
    );
  },

  updateReward: (visit, { parameters: { rewardId }, body: { status } }) => {
    const { world, assumptions, now } = visit;
    const reward = world.rewards.get(rewardId);
    if (!reward) return notFound('rewardId', rewardId);
    // The same update again is no change, so that it may be repeated (API 3, assumption `rewardTransitions`).
    if (status === undefined || status === reward.status) return done(rewardDocument(visit, reward));
    if (assumptions.rewardTransitions === 'from-queued' && reward.status !== 'QUEUED') {
      return invalid(
        ['body', 'status'],
        `a reward that is ${reward.status} cannot become ${status}`,
        'transition',
      );
    }
    const updated = { ...reward, status, updatedAt: now };
    const put = () => world.rewards.put(updated);
    return doneUpdate(assumptions, { before: reward, after: updated, put }, (record) =>
      rewardDocument(visit, record),
    );
  },

  getReward: (visit, { parameters: { rewardId } }) => {
    const reward = visit.world.rewards.get(rewardId);
    return reward ? done(rewardDocument(visit, reward)) : notFound('rewardId', rewardId);
  },
};
