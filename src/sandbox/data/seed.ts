import { pick, type Random } from '../../base/random.ts';
import { type RewardStatus, rewardStatuses } from '../../contract/states.ts';
import { productUrl } from '../api/products.ts';
import type { StoredOrder, StoredOrderItem, StoredProduct, StoredReview } from '../state/records.ts';
import { type RequestContext, timestamp } from '../state/request-context.ts';
import type { State } from '../state/state.ts';
import { reviewableItems, takesReviews, writeReview } from './consumers.ts';
import {
  brandNames,
  categoryNames,
  draftReview,
  personName,
  phoneNumber,
  productName,
  selectedOptions,
} from './phrases.ts';

/** Numbers of records to create. */
interface SeedCounts {
  readonly products: number;
  readonly orders: number;
  readonly reviews: number;
}

/** Status of generated rewards: all are QUEUED, or every status occurs, as in a shop that settles. */
export type SeededRewards = 'queued' | 'every-status';

const dayMs = 86_400_000;
/** Maximum age of orders, in days. */
const historyDays = 120;
/** Products to create if orders are requested but no products. */
const productsToOrder = 20;
/** Maximum number of items per order. */
const itemsPerOrder = 3;

type SeedContext = Pick<RequestContext, 'state' | 'now' | 'nowMs'>;

/**
 * Adds products, orders of the last months, and their reviews by date, each with its reward. Adds further orders if
 * there are too few items to review. The same random sequence and time produce the same records.
 */
export function seedState(
  context: SeedContext,
  random: Random,
  { products, orders, reviews }: SeedCounts,
  rewards: SeededRewards,
): void {
  const { state } = context;
  const isOrdered = orders + reviews > 0;
  times(isOrdered && products === 0 ? productsToOrder : products, () => seedProduct(context, random));
  const [first, ...others] = state.products.select(`${takesReviews} ORDER BY id`);
  if (!isOrdered || !first) return;
  const orderable: Products = [first, ...others];
  times(orders, () => seedOrder(context, random, orderable));
  if (reviews === 0) return;
  const missing = reviews - reviewableItems(state).length;
  times(Math.ceil(missing / itemsPerOrder), () => seedOrder(context, random, orderable, 'delivered'));
  seedReviews(context, random, reviews, rewards);
}

function times(count: number, make: () => void): void {
  for (let made = 0; made < count; made += 1) make();
}

function seedProduct(context: SeedContext, random: Random): void {
  const { state } = context;
  const { name, category } = productName(random);
  const id = state.nextId();
  const brandNumber = Math.floor(random() * brandNames.length);
  const product: StoredProduct = {
    id,
    originId: `P${id}`,
    name,
    imageUrl: `https://media.example/product/${id}.jpg`,
    url: productUrl(`P${id}`),
    categories: [{ categoryId: categoryId(state, category), isPrimary: true }],
    groupId: random() < 0.4 ? groupId(context, name) : null,
    brand: { id: `${brandNumber + 1}`, originId: `B${brandNumber + 1}`, name: brandNames[brandNumber] ?? '' },
    isAlimtalkEnabled: random() < 0.9,
    isReviewDisabled: random() < 0.02,
  };
  state.products.put(product);
}

function categoryId(state: State, originId: keyof typeof categoryNames): string {
  const known = state.categories.idOf('originId', originId);
  if (known !== undefined) return known;
  const id = state.nextId();
  state.categories.put({
    id,
    originId,
    name: categoryNames[originId],
    isVisible: true,
    position: state.categories.size,
    parentId: null,
    isReviewDisabled: false,
  });
  return id;
}

/** Products with the same name share a group and its reviews. */
function groupId({ state, now }: SeedContext, name: string): string {
  const known = state.productGroups.idOf('name', name);
  if (known !== undefined) return known;
  const id = state.nextId();
  state.productGroups.put({ id, name, imageUrl: null, createdAt: now, updatedAt: now });
  return id;
}

type Products = readonly [StoredProduct, ...StoredProduct[]];

type Customer = Pick<StoredOrder, 'memberOriginId' | 'buyer' | 'recipient'>;

function makeCustomer(random: Random): Customer {
  const name = personName(random);
  const phone = phoneNumber(random);
  const isGiving = random() < 0.2;
  const number = String(Math.floor(random() * 100_000)).padStart(5, '0');
  return {
    // A guest order has no member, so the rewards of its reviews cannot be paid.
    memberOriginId: random() < 0.85 ? `M${number}` : null,
    buyer: { name, phone, email: ['buyer', number, '@mail.example'].join('') },
    recipient: isGiving ? { name: personName(random), phone: phoneNumber(random) } : { name, phone },
  };
}

/** Adds an order shipped in one parcel. With `delivered`, it has the maximum number of items, all delivered. */
function seedOrder(
  { state, nowMs }: SeedContext,
  random: Random,
  products: Products,
  kind: 'any' | 'delivered' = 'any',
): void {
  const id = state.nextId();
  const orderedMs = nowMs - (1 + random() * (historyDays - 1)) * dayMs;
  const { memberOriginId, buyer, recipient } = makeCustomer(random);
  state.orders.put({
    id,
    originId: `O${id}`,
    orderedAt: timestamp(orderedMs),
    memberOriginId,
    alimtalkTemplateCode: random() < 0.5 ? 'REVIEW_REQUEST' : null,
    buyer,
    recipient,
  });
  const isWhole = kind === 'delivered';
  const itemCount = isWhole ? itemsPerOrder : 1 + Math.floor(random() * itemsPerOrder);
  const trackingNumber = String(Math.floor(random() * 10 ** 12)).padStart(12, '0');
  const parcel = (deliveredAt: string | null) => ({ companyCode: 'cj', trackingNumber, deliveredAt });
  const delivered = parcel(timestamp(orderedMs + random() * (nowMs - orderedMs) * 0.1));
  for (let number = 1; number <= itemCount; number += 1) {
    const isDelivered = isWhole || random() < 0.9;
    state.orderItems.put({
      id: state.nextId(),
      originId: `O${id}-${number}`,
      orderId: id,
      productId: pick(random, products).id,
      status: isDelivered ? 'DELIVERED' : pick(random, ['EXCHANGE', 'RETURN', 'CANCEL']),
      selectedOptions: selectedOptions(random),
      paidPrice: 1_000 * (5 + Math.floor(random() * 95)) + 900,
      shipment: isDelivered ? delivered : parcel(null),
    });
  }
}

function seedReviews(context: SeedContext, random: Random, count: number, rewards: SeededRewards): void {
  const status = rewards === 'queued' ? () => 'QUEUED' as const : everyOtherQueued();
  const items = sampleInOrder(random, reviewableItems(context.state), count);
  const written = items
    .map((item) => ({ item, writtenMs: Math.floor(writingTime(context, random, item) / 1000) * 1000 }))
    .sort((one, other) => one.writtenMs - other.writtenMs);
  for (const { item, writtenMs } of written) {
    const draft = draftReview(random);
    const past = history(context, random, writtenMs, draft.videos.length > 0);
    writeReview(context, item, draft, past, status());
  }
}

/** Every other reward is QUEUED; those between have the other statuses in turn. */
function everyOtherQueued(): () => RewardStatus {
  const decided = rewardStatuses.filter((status) => status !== 'QUEUED');
  let number = 0;
  return () => {
    number += 1;
    return (number % 2 === 0 ? decided[(number / 2) % decided.length] : undefined) ?? 'QUEUED';
  };
}

/** A random sample of at most `count` distinct values, in their order. */
function sampleInOrder<T>(random: Random, values: readonly T[], count: number): T[] {
  let wanted = count;
  return values.filter((_, index) => {
    const isTaken = random() * (values.length - index) < wanted;
    wanted -= Number(isTaken);
    return isTaken;
  });
}

/** A random time within 30 days after an item's order, never in the future. */
function writingTime({ state, nowMs }: SeedContext, random: Random, { orderId }: StoredOrderItem): number {
  const orderedMs = Date.parse(state.orders.get(orderId)?.orderedAt ?? '');
  return orderedMs + random() * Math.min(30 * dayMs, nowMs - orderedMs);
}

/** Random later events of a review: edits, blocks, reports and votes. */
function history(
  { nowMs }: SeedContext,
  random: Random,
  writtenMs: number,
  hasVideo: boolean,
): Partial<StoredReview> {
  const editedMs = random() < 0.1 ? writtenMs + random() * (nowMs - writtenMs) : undefined;
  const isBlocked = hasVideo && random() < 0.1;
  const createdAt = timestamp(writtenMs);
  const editedAt = editedMs === undefined ? null : timestamp(editedMs);
  return {
    createdAt,
    editedAt,
    updatedAt: editedAt ?? createdAt,
    isFixed: random() < 0.02,
    isCommented: random() < 0.15,
    reportStatus: random() < 0.02 ? 'PENDING' : null,
    isBlocked,
    blockReason: isBlocked ? 'DUPLICATE_VIDEO' : null,
    helpfulCount: Math.floor(random() ** 4 * 60),
  };
}
