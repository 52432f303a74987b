import { pick, type Random } from '../base/random.ts';
import { reviewableItems, sample, takesReviews, writeReview } from './consumers.ts';
import {
  brandNames,
  categoryNames,
  draftReview,
  personName,
  phoneNumber,
  productName,
  selectedOptions,
} from './phrases.ts';
import { productUrl } from './products.ts';
import type { OrderItemRecord, ProductRecord, ReviewRecord } from './records.ts';
import { timestamp, type Visit } from './visit.ts';
import type { World } from './world.ts';

/** How many records to make. */
export interface SeedCounts {
  readonly products: number;
  readonly orders: number;
  readonly reviews: number;
}

const dayMs = 86_400_000;
/** How far back the orders go, in days. */
const historyDays = 120;
/** Products made when there are none to order and none were asked for. */
const productsToOrder = 20;
/** The most items of one order. */
const itemsPerOrder = 3;

/**
 * Fills the world with products, orders of the last months, and reviews of them as if they had been written then: in
 * the order of their dates, and each with its QUEUED reward. Makes further orders where there are too few items to
 * review. One random sequence and one time give the same world again.
 */
export function seedWorld(visit: Visit, random: Random, { products, orders, reviews }: SeedCounts): void {
  const { world } = visit;
  const isOrdered = orders + reviews > 0;
  const isBare = products === 0 && world.products.size === 0;
  times(isOrdered && isBare ? productsToOrder : products, () => seedProduct(visit, random));
  const [first, ...others] = [...world.products.values()].filter((product) => takesReviews(world, product));
  if (!isOrdered || !first) return;
  const orderable: Products = [first, ...others];
  times(orders, () => seedOrder(visit, random, orderable));
  if (reviews === 0) return;
  const missing = reviews - reviewableItems(world).length;
  times(Math.ceil(missing / itemsPerOrder), () => seedOrder(visit, random, orderable, 'delivered'));
  seedReviews(visit, random, reviews);
}

function times(count: number, make: () => void): void {
  for (let made = 0; made < count; made += 1) make();
}

function seedProduct(visit: Visit, random: Random): void {
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
function groupId({ world, now }: Visit, name: string): string {
  const known = world.productGroups.first('name', name);
  if (known) return known.id;
  const id = world.nextId();
  world.productGroups.put({ id, name, imageUrl: null, createdAt: now, updatedAt: now });
  return id;
}

type Products = readonly [ProductRecord, ...ProductRecord[]];

/** An order of the last months; of kind `delivered`, with as many items as may be and all of them kept. */
function seedOrder(
  { world, nowMs }: Visit,
  random: Random,
  products: Products,
  kind: 'any' | 'delivered' = 'any',
): void {
  const id = world.nextId();
  const name = personName(random);
  const isGift = random() < 0.2;
  world.orders.put({
    id,
    originId: `O${id}`,
    orderedAt: timestamp(nowMs - (1 + random() * (historyDays - 1)) * dayMs),
    // A guest's order has no member (and its reviews earn a reward nobody can be paid).
    memberOriginId: random() < 0.85 ? `M${String(Math.floor(random() * 100_000)).padStart(5, '0')}` : null,
    alimtalkTemplateCode: random() < 0.5 ? 'REVIEW_REQUEST' : null,
    buyer: { name, phone: phoneNumber(random), email: `buyer${id}@mail.example` },
    recipient: { name: isGift ? personName(random) : name, phone: phoneNumber(random) },
  });
  const isWhole = kind === 'delivered';
  const itemCount = isWhole ? itemsPerOrder : 1 + Math.floor(random() * itemsPerOrder);
  for (let number = 1; number <= itemCount; number += 1) {
    world.orderItems.put({
      id: world.nextId(),
      originId: `O${id}-${number}`,
      orderId: id,
      productId: pick(random, products).id,
      status: isWhole || random() < 0.9 ? 'DELIVERED' : pick(random, ['EXCHANGE', 'RETURN', 'CANCEL']),
      selectedOptions: selectedOptions(random),
      paidPrice: 1_000 * (5 + Math.floor(random() * 95)) + 900,
      shipment: {
        companyCode: 'cj',
        trackingNumber: String(Math.floor(random() * 10 ** 12)).padStart(12, '0'),
        deliveredAt: null,
      },
    });
  }
}

function seedReviews(visit: Visit, random: Random, count: number): void {
  sample(random, reviewableItems(visit.world), count)
    .map((item) => ({ item, writtenMs: writingTime(visit, random, item) }))
    .sort((a, b) => a.writtenMs - b.writtenMs)
    .forEach(({ item, writtenMs }) => {
      const draft = draftReview(random);
      writeReview(visit, item, draft, history(visit, random, writtenMs, draft.videos.length > 0));
    });
}

/** Some days after the order, and never in the future. */
function writingTime({ world, nowMs }: Visit, random: Random, item: OrderItemRecord): number {
  const orderedAt = Date.parse(world.orders.get(item.orderId)?.orderedAt ?? '');
  return orderedAt + random() * Math.min(30 * dayMs, nowMs - orderedAt);
}

/** What happened to a review since it was written. */
function history(
  { nowMs }: Visit,
  random: Random,
  writtenMs: number,
  hasVideo: boolean,
): Partial<ReviewRecord> {
  const editedMs = random() < 0.1 ? writtenMs + random() * (nowMs - writtenMs) : undefined;
  const isBlocked = hasVideo && random() < 0.1;
  return {
    createdAt: timestamp(writtenMs),
    editedAt: editedMs === undefined ? null : timestamp(editedMs),
    updatedAt: timestamp(editedMs ?? writtenMs),
    isFixed: random() < 0.02,
    isCommented: random() < 0.15,
    reportStatus: random() < 0.02 ? 'PENDING' : null,
    isBlocked,
    blockReason: isBlocked ? 'DUPLICATE_VIDEO' : null,
    helpfulCount: Math.floor(random() ** 4 * 60),
  };
}
