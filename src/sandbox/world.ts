import { Collection } from './collection.ts';
import { PendingJobs } from './pending-jobs.ts';
import type {
  CategoryRecord,
  HintRecord,
  JobRecord,
  OrderItemRecord,
  OrderRecord,
  ProductGroupRecord,
  ProductRecord,
  ReviewRecord,
  RewardRecord,
} from './records.ts';
import { ReviewTallies, type Tally } from './tally.ts';

export interface Records {
  readonly products: ProductRecord;
  readonly productGroups: ProductGroupRecord;
  readonly categories: CategoryRecord;
  readonly orders: OrderRecord;
  readonly orderItems: OrderItemRecord;
  readonly reviews: ReviewRecord;
  readonly rewards: RewardRecord;
  readonly jobs: JobRecord;
  readonly hints: HintRecord;
}

export type CollectionName = keyof Records;

/** One write: the record as it is now, or undefined when it was removed. */
export interface Change {
  readonly collection: CollectionName;
  readonly action: 'created' | 'updated' | 'removed';
  readonly id: string;
  readonly record: Records[CollectionName] | undefined;
}

/**
 * All records of the service and how they hang together. It holds no rule of any operation; the handlers do. Every
 * write is noted as a change, to be made durable and journaled before the reply that tells of it.
 */
export class World {
  readonly products = new Collection<ProductRecord, 'originId' | 'groupId'>(
    { originId: (product) => product.originId, groupId: (product) => product.groupId },
    (before, after) => {
      this.#tallies.productChanged(before, after);
      this.#noteChange('products', before, after);
    },
  );
  readonly productGroups = new Collection<ProductGroupRecord, 'name'>(
    { name: (group) => group.name },
    (before, after) => this.#noteChange('productGroups', before, after),
  );
  readonly categories = new Collection<CategoryRecord, 'originId'>(
    { originId: (category) => category.originId },
    (before, after) => this.#noteChange('categories', before, after),
  );
  readonly orders = new Collection<OrderRecord, 'originId'>(
    { originId: (order) => order.originId },
    (before, after) => this.#noteChange('orders', before, after),
  );
  readonly orderItems = new Collection<OrderItemRecord, 'originId' | 'orderId'>(
    { originId: (item) => item.originId, orderId: (item) => item.orderId },
    (before, after) => this.#noteChange('orderItems', before, after),
  );
  readonly reviews = new Collection<ReviewRecord, 'orderItemId'>(
    { orderItemId: (review) => review.orderItemId },
    (before, after) => {
      const product = this.products.get((after ?? before)?.productId ?? '');
      this.#tallies.reviewChanged(before, after, product?.groupId ?? null);
      this.#noteChange('reviews', before, after);
    },
  );
  readonly rewards = new Collection<RewardRecord, 'reviewId'>(
    { reviewId: (reward) => reward.reviewId },
    (before, after) => this.#noteChange('rewards', before, after),
  );
  readonly jobs = new Collection<JobRecord, never>({}, (before, after) => {
    if (!before && after?.task) this.pendingJobs.add({ ...after, task: after.task });
    this.#noteChange('jobs', before, after);
  });
  readonly hints = new Collection<HintRecord, never>({}, (before, after) =>
    this.#noteChange('hints', before, after),
  );

  readonly pendingJobs = new PendingJobs();
  readonly #tallies = new ReviewTallies();
  #changes: Change[] = [];
  #version = 0;
  #lastId = 1_000_000;

  /** Grows with every write; what was derived from the world at one version holds for as long as it stands. */
  get version(): number {
    return this.#version;
  }

  /** Whether nothing was ever written. */
  get isEmpty(): boolean {
    return this.#version === 0;
  }

  /** The id given last; ids grow in the order of creation, over all kinds of records. */
  get lastId(): number {
    return this.#lastId;
  }

  nextId(): string {
    this.#lastId += 1;
    return String(this.#lastId);
  }

  /** The reviews written on the product itself. */
  directReviews(product: ProductRecord): Tally {
    return this.#tallies.ofProduct(product.id);
  }

  /** The reviews shown with the product: those of its whole group, whose products share them. */
  sharedReviews(product: ProductRecord): Tally {
    return product.groupId === null ? this.directReviews(product) : this.groupReviews(product.groupId);
  }

  groupReviews(groupId: string): Tally {
    return this.#tallies.ofGroup(groupId);
  }

  /** What was written since the changes were last cleared, in order. */
  get changes(): readonly Change[] {
    return this.#changes;
  }

  clearChanges(): void {
    this.#changes = [];
  }

  /** Puts back a record as it was stored; products before their reviews. */
  restore<N extends CollectionName>(name: N, record: Records[N]): void {
    (this[name] as { put(record: Records[N]): void }).put(record);
    this.#lastId = Math.max(this.#lastId, Number(record.id));
  }

  #noteChange(
    collection: CollectionName,
    before: Records[CollectionName] | undefined,
    after: Records[CollectionName] | undefined,
  ): void {
    const record = after ?? before;
    if (!record) return;
    const action = before === undefined ? 'created' : after === undefined ? 'removed' : 'updated';
    this.#changes.push({ collection, action, id: record.id, record: after });
    this.#version += 1;
  }
}
