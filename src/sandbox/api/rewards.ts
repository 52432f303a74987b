import { rewardDocument } from '../rules/documents.ts';
import { equals, field, inTimeRange, isOneOf } from '../rules/filters.ts';
import type { OperationHandlers } from '../rules/handlers.ts';
import { listPage } from '../state/listings.ts';
import { done, doneUpdate, found, invalid, notFound } from '../state/outcome.ts';

/** API 4.18 and 4.19, and the opt-in lookup of one reward. Newest first: the document defines no order. */
export const rewardHandlers: OperationHandlers<'listRewards' | 'updateReward' | 'getReward'> = {
  listRewards: (context, { query }) => {
    const { state, assumptions } = context;
    const dated = (name: string) =>
      assumptions.rewardTimeMeans === 'reward'
        ? field(name)
        : `(SELECT ${field(name)} FROM reviews WHERE id = rewards.${field('reviewId')})`;
    return listPage(
      context,
      {
        operation: 'listRewards',
        sort: 'ID',
        direction: 'DESC',
        collection: state.rewards,
        where: [
          equals(field('status'), query.status),
          isOneOf(field('reviewCategory'), query.reviewCategories),
          inTimeRange(dated('createdAt'), query.createdAtStart, query.createdAtEnd, assumptions),
          inTimeRange(dated('updatedAt'), query.updatedAtStart, query.updatedAtEnd, assumptions),
        ],
        key: 'id',
        show: rewardDocument,
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
    return doneUpdate(context, { before: reward, after: updated, put }, rewardDocument);
  },

  getReward: (context, { parameters: { rewardId } }) =>
    found(context, context.state.rewards.get(rewardId), ['rewardId', rewardId], rewardDocument),
};
