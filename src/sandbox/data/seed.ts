import { pick, type Random } from '../../base/random.ts';
import { type RewardStatus, rewardStatuses } from '../../contract/states.ts';
import { productUrl } from '../api/products.ts';
import type { OrderItemRecord, OrderRecord, ProductRecord, ReviewRecord } from '../state/records.ts';
import { timestamp, type Visit } from '../state/request-context.ts';
import type { World } from '../state/state.ts';
import { reviewableItems, takesReviews, writeReview } from './consumers.ts';
import {
  brandNames,
  categoryNames,
  draftReview,
  personName,
  phoneNumber,
  productName,
  type ReviewDraft,
  selectedOptions,
} from './phrases.ts';

/** How many records to make. */
export interface SeedCounts {
  readonly products: number;
  readonly orders: number;
  readonly reviews: number;
}

/** Whether rewards of made-up reviews all wait, or have every status there is, as in a shop that settles. */
export type SeededRewards = 'queued' | 'every-status';

const dayMs = 86_400_000;
/** How far back the orders go, in days. */
const historyDays = 120;
/** Products made when there are none to order and none were asked for. */
const productsToOrder = 20;
/** The most items of one order. */
const itemsPerOrder = 3;
/** How many customers, and how many texts of reviews, are made before they repeat: a large world would not fit into memory otherwise. */
const repertoire = 20_000;

type Seeding = Pick<Visit, 'world' | 'now' | 'nowMs'>;

/** What orders and reviews are made of. */
interface Cast {
  readonly customer: () => Customer;
  readonly options: () => OrderItemRecord['selectedOptions'];
  readonly draft: () => ReviewDraft;
}

/**
 * Fills the world with products, orders of the last months, and reviews of them as if they had been written then: in
 * the order of their dates, and each with its reward. Makes further orders where there are too few items to
 * review. One random sequence and one time give the same world again.
 */
export function seedWorld(
  visit: Seeding,
  random: Random,
  { products, orders, reviews }: SeedCounts,
  rewards: SeededRewards,
): void {
  const { world } = visit;
  const cast: Cast = {
    customer: repeating(random, () => makeCustomer(random)),
    options: repeating(random, () => selectedOptions(random)),
    draft: repeating(random, () => draftReview(random)),
  };
  const isOrdered = orders + reviews > 0;
  const isBare = products === 0 && world.products.size === 0;
  times(isOrdered && isBare ? productsToOrder : products, () => seedProduct(visit, random));
  const [first, ...others] = [...world.products.values()].filter((product) => takesReviews(world, product));
  if (!isOrdered || !first) return;
  const orderable: Products = [first, ...others];
  times(orders, () => seedOrder(visit, random, orderable, cast));
  if (reviews === 0) return;
  const missing = reviews - reviewableItems(world).length;
  times(Math.ceil(missing / itemsPerOrder), () => seedOrder(visit, random, orderable, cast, 'delivered'));
  seedReviews(visit, random, reviews, { cast, rewards });
}

/** Makes values until there are many, and then gives each of them again. */
function repeating<T>(random: Random, make: () => T): () => T {
  const made: T[] = [];
  return () => {
    const [again] = made.length < repertoire ? [] : [made[Math.floor(random() * made.length)]];
    if (again !== undefined) return again;
    const value = make();
    made.push(value);
    return value;
  };
}

function times(count: number, make: () => void): void {
  for (let made = 0; made < count; made += 1) make();
}

function seedProduct(visit: Seeding, random: Random): void {
  const { world } = visit;
  const { name, category } = productName(random);
  const id = world.nextId();
  const brandNumber = Math.floor(random() * brandNames.length);
  const product: ProductRecord = {
    id,
    originId: `P${id}`,
    name,
    imageUrl: `https://media.example/product/${id}.jpg`,
    url: productUrl(`P${id}`),
    categories: [{ categoryId: categoryId(world, category), isPrimary: true }],
    groupId: random() < 0.4 ? groupId(visit, name) : null,
    brand: { id: `${brandNumber + 1}`, originId: `B${brandNumber + 1}`, name: brandNames[brandNumber] ?? '' },
    isAlimtalkEnabled: random() < 0.9,
    isReviewDisabled: random() < 0.02,
  };
  world.products.put(product);
}

function categoryId(world: World, originId: keyof typeof categoryNames): string {
  const known = world.categories.first('originId', originId);
  if (known) return known.id;
  const id = world.nextId();
  world.categories.put({
    id,
    originId,
    name: categoryNames[originId],
    isVisible: true,
    position: world.categories.size,
    parentId: null,
    isReviewDisabled: false,
  });
  return id;
}

/** Products of one name share a group, and with it their reviews. */
function groupId({ world, now }: Seeding, name: string): string {
  const known = world.productGroups.first('name', name);
  if (known) return known.id;
  const id = world.nextId();
  world.productGroups.put({ id, name, imageUrl: null, createdAt: now, updatedAt: now });
  return id;
}

type Products = readonly [ProductRecord, ...ProductRecord[]];

type Customer = Pick<OrderRecord, 'memberOriginId' | 'buyer' | 'recipient'>;

function makeCustomer(random: Random): Customer {
  const name = personName(random);
  const phone = phoneNumber(random);
  const isGiving = random() < 0.2;
  const number = String(Math.floor(random() * 100_000)).padStart(5, '0');
  return {
    // A guest's order has no member (and its reviews earn a reward nobody can be paid).
    memberOriginId: random() < 0.85 ? `M${number}` : null,
    buyer: { name, phone, email: ['buyer', number, '@mail.example'].join('') },
    recipient: isGiving ? { name: personName(random), phone: phoneNumber(random) } : { name, phone },
  };
}

/** An order of the last months, sent in one parcel; of kind `delivered`, with as many items as may be and all of them kept. */
function seedOrder(
  { world, nowMs }: Seeding,
  random: Random,
  products: Products,
  cast: Cast,
  kind: 'any' | 'delivered' = 'any',
): void {
  const id = world.nextId();
  const orderedMs = nowMs - (1 + random() * (historyDays - 1)) * dayMs;
  const { memberOriginId, buyer, recipient } = cast.customer();
  world.orders.put({
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
    world.orderItems.put({
      id: world.nextId(),
      originId: `O${id}-${number}`,
      orderId: id,
      productId: pick(random, products).id,
      status: isDelivered ? 'DELIVERED' : pick(random, ['EXCHANGE', 'RETURN', 'CANCEL']),
      selectedOptions: cast.options(),
      paidPrice: 1_000 * (5 + Math.floor(random() * 95)) + 900,
      shipment: isDelivered ? delivered : parcel(null),
    });
  }
}

function seedReviews(
  visit: Seeding,
  random: Random,
  count: number,
  { cast, rewards }: { readonly cast: Cast; readonly rewards: SeededRewards },
): void {
  const status = rewards === 'queued' ? () => 'QUEUED' as const : everyOtherQueued();
  const items = sampleInOrder(random, reviewableItems(visit.world), count);
  for (const { item, writtenMs } of inOrderOfWriting(items, writingTimes(visit, random))) {
    const draft = cast.draft();
    const past = history(visit, random, writtenMs, draft.videos.length > 0);
    writeReview(visit, item, draft, past, status());
  }
}

/** Every other reward waits, the rest has the other statuses in turn. */
function everyOtherQueued(): () => RewardStatus {
  const decided = rewardStatuses.filter((status) => status !== 'QUEUED');
  let number = 0;
  return () => {
    number += 1;
    return (number % 2 === 0 ? decided[(number / 2) % decided.length] : undefined) ?? 'QUEUED';
  };
}

/** At most `count` of `values`, each once, in their order. */
function sampleInOrder<T>(random: Random, values: readonly T[], count: number): T[] {
  let wanted = count;
  return values.filter((_, index) => {
    const isTaken = random() * (values.length - index) < wanted;
    wanted -= Number(isTaken);
    return isTaken;
  });
}

/** The items by the times of their reviews. Times and places are sorted as bare numbers, in seconds: a million objects would take long. */
function* inOrderOfWriting(
  items: readonly OrderItemRecord[],
  timeOf: (item: OrderItemRecord) => number,
): Generator<{ readonly item: OrderItemRecord; readonly writtenMs: number }> {
  const places = new Float64Array(items.length);
  items.forEach((item, place) => {
    places[place] = Math.floor(timeOf(item) / 1000) * items.length + place;
  });
  for (const value of places.sort()) {
    const item = items[value % items.length];
    if (item) yield { item, writtenMs: Math.floor(value / items.length) * 1000 };
  }
}

/** Times some days after the order of an item, and never in the future. Items of one order come one after the other. */
function writingTimes({ world, nowMs }: Seeding, random: Random): (item: OrderItemRecord) => number {
  const order = { id: '', orderedMs: 0 };
  return ({ orderId }) => {
    if (order.id !== orderId) {
      order.id = orderId;
      order.orderedMs = Date.parse(world.orders.get(orderId)?.orderedAt ?? '');
    }
    return order.orderedMs + random() * Math.min(30 * dayMs, nowMs - order.orderedMs);
  };
}

/** What happened to a review since it was written. */
function history(
  { nowMs }: Seeding,
  random: Random,
  writtenMs: number,
  hasVideo: boolean,
): Partial<ReviewRecord> {
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
