import type { Random } from '../../base/random.ts';
import type { RewardStatus } from '../../contract/states.ts';
import { contentTypeOf } from '../api/reviews.ts';
import { invalid, type RefusedRequest } from '../state/outcome.ts';
import type { StoredOrderItem, StoredReview, StoredReward } from '../state/records.ts';
import type { RequestContext } from '../state/request-context.ts';
import type { State } from '../state/state.ts';
import { draftReview, type ReviewDraft } from './phrases.ts';

/** Reward amounts by review category, in the shop's own unit. */
const rewardAmounts = { VIDEO: 2_000, IMAGE: 1_000, TEXT: 500 } as const;

interface WrittenReview {
  readonly review: StoredReview;
  readonly reward: StoredReward;
}

/**
 * Stores a review of an order item and its reward. A review of a guest order also has a reward, but no member to pay: a
 * client that settles rewards has to hold it.
 */
export function writeReview(
  { state, now }: Pick<RequestContext, 'state' | 'now'>,
  item: StoredOrderItem,
  draft: ReviewDraft,
  history: Partial<StoredReview> = {},
  rewardStatus: RewardStatus = 'QUEUED',
): WrittenReview {
  const createdAt = history.createdAt ?? now;
  const review: StoredReview = {
    id: state.nextId(),
    originId: null,
    orderItemId: item.id,
    productId: item.productId,
    ...draft,
    isVisible: true,
    isBlocked: false,
    blockReason: null,
    isFixed: false,
    isCommented: false,
    helpfulCount: 0,
    reportStatus: null,
    createdAt,
    editedAt: null,
    updatedAt: createdAt,
    ...history,
  };
  const reviewCategory = contentTypeOf(review);
  const reward: StoredReward = {
    id: state.nextId(),
    amount: rewardAmounts[reviewCategory],
    reviewCategory,
    status: rewardStatus,
    reviewId: review.id,
    orderItemId: item.id,
    createdAt,
    updatedAt: createdAt,
  };
  state.reviews.put(review);
  state.rewards.put(reward);
  return { review, reward };
}

/** SQL condition: neither the product nor one of its categories disables reviews (API 2). */
export const takesReviews = `NOT products.document ->> 'isReviewDisabled' AND NOT EXISTS (
  SELECT 1 FROM json_each(products.document ->> 'categories') assigned
  JOIN categories ON categories.id = assigned.value ->> 'categoryId'
  WHERE categories.document ->> 'isReviewDisabled')`;

/** SQL expression: why an order item cannot be reviewed; null if it can, since it was kept and has no review. */
const unreviewable = `CASE
  WHEN NOT EXISTS (SELECT 1 FROM products WHERE products.id = orderItems.document ->> 'productId'
    AND ${takesReviews}) THEN 'reviews of its product are disabled'
  WHEN document ->> 'status' IN ('RETURN', 'CANCEL', 'FAIL') THEN 'its status is ' || (document ->> 'status')
  WHEN EXISTS (SELECT 1 FROM reviews WHERE reviews.document ->> 'orderItemId' = orderItems.document ->> 'id')
    THEN 'it has a review' END`;

/** Order items that can still be reviewed. */
export function reviewableItems(state: State): StoredOrderItem[] {
  return state.orderItems.select(`${unreviewable} IS NULL ORDER BY id`);
}

type GivenContent = { readonly [K in keyof ReviewDraft]?: ReviewDraft[K] | undefined };

export interface ReviewRequest {
  readonly count: number;
  /** OriginId of the order item to review; by default items are chosen at random. */
  readonly orderItemOriginId?: string | undefined;
  /** Values of fields. Other fields are generated. */
  readonly content?: GivenContent;
}

/** Writes reviews of the given item, or of at most `count` items chosen at random. */
export function writeReviews(
  context: RequestContext,
  random: Random,
  { count, orderItemOriginId, content = {} }: ReviewRequest,
): { readonly kind: 'written'; readonly written: readonly WrittenReview[] } | RefusedRequest {
  const items = itemsToReview(context.state, random, count, orderItemOriginId);
  if ('kind' in items) return items;
  return {
    kind: 'written',
    written: items.map((item) => writeReview(context, item, drafted(random, content))),
  };
}

function drafted(random: Random, content: GivenContent): ReviewDraft {
  const given = Object.entries(content).filter(([, value]) => value !== undefined);
  return { ...draftReview(random), ...Object.fromEntries(given) };
}

function itemsToReview(
  state: State,
  random: Random,
  count: number,
  originId: string | undefined,
): readonly StoredOrderItem[] | RefusedRequest {
  if (originId === undefined) {
    const items = sample(random, reviewableItems(state), count);
    return items.length > 0
      ? items
      : invalid(['body'], 'there is no order item left to review; create some orders first', 'none_left');
  }
  const loc = ['body', 'orderItemOriginId'];
  const item = state.orderItems.first('originId', originId);
  if (!item) return invalid(loc, `no order item has the originId ${originId}`, 'not_found');
  const { reason } = state
    .prepare(`SELECT ${unreviewable} AS reason FROM orderItems WHERE id = ?`)
    .get(item.id);
  return reason === null
    ? [item]
    : invalid(loc, `order item ${originId} cannot be reviewed: ${reason}`, 'unreviewable');
}

/** A random sample of at most `count` distinct values, in random order. */
function sample<T>(random: Random, values: readonly T[], count: number): T[] {
  const left = [...values];
  const taken: T[] = [];
  for (const _ of left.slice(0, count)) {
    const place = Math.floor(random() * left.length);
    const last = left.pop();
    const chosen = place < left.length ? left[place] : last;
    if (chosen === undefined || last === undefined) break;
    if (place < left.length) left[place] = last;
    taken.push(chosen);
  }
  return taken;
}
