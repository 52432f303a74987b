import { byId, byText, Collection } from './collection.ts';
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

/** One write: the record as it was, undefined when it is new, and as it is now, undefined when it was removed. */
export interface Change {
  readonly collection: CollectionName;
  readonly action: 'created' | 'updated' | 'removed';
  readonly id: string;
  readonly before: Records[CollectionName] | undefined;
  readonly record: Records[CollectionName] | undefined;
}

/** Ids begin behind it. */
const lastIdOfNone = 1_000_000;

/**
 * All records of the service and how they hang together. It holds no rule of any operation; the handlers do. Its watcher is told
 * of every write.
 */
export class World {
  readonly products = new Collection<ProductRecord, 'originId' | 'groupId'>(
    { originId: byText((product) => product.originId), groupId: byId((product) => product.groupId) },
    (before, after) => {
      this.#tallies.productChanged(before, after);
      this.#noteChange('products', before, after);
    },
  );
  readonly productGroups = new Collection<ProductGroupRecord, 'name'>(
    { name: byText((group) => group.name) },
    (before, after) => this.#noteChange('productGroups', before, after),
  );
  readonly categories = new Collection<CategoryRecord, 'originId'>(
    { originId: byText((category) => category.originId) },
    (before, after) => this.#noteChange('categories', before, after),
  );
  readonly orders = new Collection<OrderRecord, 'originId'>(
    { originId: byText((order) => order.originId) },
    (before, after) => this.#noteChange('orders', before, after),
  );
  readonly orderItems = new Collection<OrderItemRecord, 'originId' | 'orderId'>(
    { originId: byText((item) => item.originId), orderId: byId((item) => item.orderId) },
    (before, after) => this.#noteChange('orderItems', before, after),
  );
  readonly reviews = new Collection<ReviewRecord, 'orderItemId'>(
    { orderItemId: byId((review) => review.orderItemId) },
    (before, after) => {
      const product = this.products.get((after ?? before)?.productId ?? '');
      this.#tallies.reviewChanged(before, after, product?.groupId ?? null);
      this.#noteChange('reviews', before, after);
    },
  );
  readonly rewards = new Collection<RewardRecord, 'reviewId'>(
    { reviewId: byId((reward) => reward.reviewId) },
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
  #watcher: ((change: Change) => void) | undefined;
  #lastId = lastIdOfNone;

  /** Has `watcher` told of every write from now on. */
  watch(watcher: (change: Change) => void): void {
    this.#watcher = watcher;
  }

  /** Whether nothing was ever written. */
  get isEmpty(): boolean {
    return this.#lastId === lastIdOfNone;
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
    if (!record || !this.#watcher) return;
    const action = before === undefined ? 'created' : after === undefined ? 'removed' : 'updated';
    this.#watcher({ collection, action, id: record.id, before, record: after });
  }
}
