import type { Random } from '../../base/random.ts';
import type { RewardStatus } from '../../contract/states.ts';
import { contentTypeOf } from '../api/reviews.ts';
import { invalid, type Refused } from '../state/outcome.ts';
import type { OrderItemRecord, ProductRecord, ReviewRecord, RewardRecord } from '../state/records.ts';
import type { Visit } from '../state/request-context.ts';
import type { World } from '../state/state.ts';
import { draftReview, type ReviewDraft } from './phrases.ts';

/** What a review earns, in the shop's own unit. */
const rewardAmounts = { VIDEO: 2_000, IMAGE: 1_000, TEXT: 500 } as const;

/** Item states in which nothing was kept that could be reviewed (API 3). */
const unreviewedStates: ReadonlySet<string | null> = new Set(['RETURN', 'CANCEL', 'FAIL']);

export interface Written {
  readonly review: ReviewRecord;
  readonly reward: RewardRecord;
}

/**
 * Stores a review of an order item and the reward it earns, QUEUED unless told otherwise. A review of a guest order has a reward too, without
 * a member to pay it to: whoever settles rewards has to hold that one.
 */
export function writeReview(
  { world, now }: Pick<Visit, 'world' | 'now'>,
  item: OrderItemRecord,
  draft: ReviewDraft,
  history: Partial<ReviewRecord> = {},
  rewardStatus: RewardStatus = 'QUEUED',
): Written {
  const createdAt = history.createdAt ?? now;
  // Field by field: an object that was spread together takes twice the memory.
  const review: ReviewRecord = {
    id: world.nextId(),
    originId: null,
    orderItemId: item.id,
    productId: item.productId,
    userNickname: draft.userNickname,
    title: draft.title,
    text: draft.text,
    rating: draft.rating,
    uploadFrom: draft.uploadFrom,
    videos: draft.videos,
    images: draft.images,
    questionAnswers: draft.questionAnswers,
    isVisible: true,
    isBlocked: history.isBlocked ?? false,
    blockReason: history.blockReason ?? null,
    isFixed: history.isFixed ?? false,
    isCommented: history.isCommented ?? false,
    helpfulCount: history.helpfulCount ?? 0,
    reportStatus: history.reportStatus ?? null,
    createdAt,
    editedAt: history.editedAt ?? null,
    updatedAt: history.updatedAt ?? createdAt,
  };
  const reviewCategory = contentTypeOf(review);
  const reward: RewardRecord = {
    id: world.nextId(),
    amount: rewardAmounts[reviewCategory],
    reviewCategory,
    status: rewardStatus,
    reviewId: review.id,
    orderItemId: item.id,
    createdAt,
    updatedAt: createdAt,
  };
  world.reviews.put(review);
  world.rewards.put(reward);
  return { review, reward };
}

/** The order items somebody may still write a review of. */
export function reviewableItems(world: World): OrderItemRecord[] {
  const products = [...world.products.values()].filter((product) => takesReviews(world, product));
  const reviewable = new Set(products.map(({ id }) => id));
  return [...world.orderItems.values()].filter(
    (item) => reviewable.has(item.productId) && isUnreviewed(world, item),
  );
}

/** Whether the item was kept, and nobody has written of it. */
function isUnreviewed(world: World, { id, status }: OrderItemRecord): boolean {
  return !unreviewedStates.has(status) && !world.reviews.has('orderItemId', id);
}

function unreviewableReason(world: World, item: OrderItemRecord): string | undefined {
  const product = world.products.get(item.productId);
  if (!product || !takesReviews(world, product)) return 'its product takes no reviews';
  if (isUnreviewed(world, item)) return undefined;
  return unreviewedStates.has(item.status) ? `its status is ${item.status}` : 'it has a review';
}

/** Whether reviews may be written of a product: neither it nor a category of it forbids them (API 2). */
export function takesReviews({ categories }: World, product: ProductRecord): boolean {
  const isForbidden = product.categories.some(
    ({ categoryId }) => categories.get(categoryId)?.isReviewDisabled,
  );
  return !product.isReviewDisabled && !isForbidden;
}

type Said = { readonly [K in keyof ReviewDraft]?: ReviewDraft[K] | undefined };

export interface ReviewWish {
  readonly count: number;
  /** The order item to review, by originId; any one that may be reviewed when not given. */
  readonly orderItemOriginId?: string | undefined;
  /** What the reviews say; the rest is made up. */
  readonly said?: Said;
}

/** Lets consumers write reviews: of the item named, or of `count` items picked at random, fewer if fewer are left. */
export function writeReviews(
  visit: Visit,
  random: Random,
  { count, orderItemOriginId, said = {} }: ReviewWish,
): { readonly kind: 'written'; readonly written: readonly Written[] } | Refused {
  const items = itemsToReview(visit.world, random, count, orderItemOriginId);
  if ('kind' in items) return items;
  return {
    kind: 'written',
    written: items.map((item) => writeReview(visit, item, drafted(random, said))),
  };
}

function drafted(random: Random, said: Said): ReviewDraft {
  const made = draftReview(random);
  return {
    userNickname: said.userNickname ?? made.userNickname,
    title: said.title ?? made.title,
    text: said.text ?? made.text,
    rating: said.rating ?? made.rating,
    uploadFrom: said.uploadFrom ?? made.uploadFrom,
    videos: said.videos ?? made.videos,
    images: said.images ?? made.images,
    questionAnswers: said.questionAnswers ?? made.questionAnswers,
  };
}

function itemsToReview(
  world: World,
  random: Random,
  count: number,
  originId: string | undefined,
): readonly OrderItemRecord[] | Refused {
  if (originId === undefined) {
    const items = sample(random, reviewableItems(world), count);
    return items.length > 0
      ? items
      : invalid(['body'], 'there is no order item left to review; make some orders first', 'none_left');
  }
  const loc = ['body', 'orderItemOriginId'];
  const item = world.orderItems.first('originId', originId);
  if (!item) return invalid(loc, `no order item has the originId ${originId}`, 'not_found');
  const reason = unreviewableReason(world, item);
  return reason === undefined
    ? [item]
    : invalid(loc, `order item ${originId} cannot be reviewed: ${reason}`, 'unreviewable');
}

/** At most `count` of `values`, each once, in random order. */
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
