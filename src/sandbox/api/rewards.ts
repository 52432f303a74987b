import { rewardDocument } from '../rules/documents.ts';
import { allOf, inTimeRange, isOneOf, when } from '../rules/filters.ts';
import type { OperationHandlers } from '../rules/handlers.ts';
import { done, doneUpdate, invalid, notFound } from '../state/outcome.ts';
import type { StoredReward } from '../state/records.ts';

/** API 4.18 and 4.19, and the opt-in lookup of one reward. Newest first: the document defines no order. */
export const rewardHandlers: OperationHandlers<'listRewards' | 'updateReward' | 'getReward'> = {
  listRewards: (context, { query }) => {
    const { state, assumptions } = context;
    const dated = (reward: StoredReward) =>
      assumptions.rewardTimeMeans === 'reward' ? reward : state.reviews.get(reward.reviewId);
    return context.listings.page<StoredReward>(
      {
        operation: 'listRewards',
        sort: 'ID',
        direction: 'DESC',
        collection: state.rewards,
        matches: allOf<StoredReward>([
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
          collection === 'reviews' ? state.rewards.find('reviewId', id).map((reward) => reward.id) : [],
        present: (reward) => rewardDocument(context, reward),
      },
      query,
    );
  },

  updateReward: (context, { parameters: { rewardId }, body: { status } }) => {
    const { state, assumptions, now } = context;
    const reward = state.rewards.get(rewardId);
    if (!reward) return notFound('rewardId', rewardId);
    // Repeating an update changes nothing, so it is allowed (API 3, assumption `rewardTransitions`).
    if (status === undefined || status === reward.status) return done(rewardDocument(context, reward));
    if (assumptions.rewardTransitions === 'from-queued' && reward.status !== 'QUEUED') {
      return invalid(
        ['body', 'status'],
        `a reward that is ${reward.status} cannot become ${status}`,
        'transition',
      );
    }
    const updated = { ...reward, status, updatedAt: now };
    const put = () => state.rewards.put(updated);
    return doneUpdate(assumptions, { before: reward, after: updated, put }, (record) =>
      rewardDocument(context, record),
    );
  },

  getReward: (context, { parameters: { rewardId } }) => {
    const reward = context.state.rewards.get(rewardId);
    return reward ? done(rewardDocument(context, reward)) : notFound('rewardId', rewardId);
  },
};
