import { byId, byText, Collection } from './collection.ts';
import { PendingJobs } from './pending-jobs.ts';
import { RatingTallies, type RatingTally } from './rating-tallies.ts';
import type {
  StoredCategory,
  StoredHint,
  StoredJob,
  StoredOrder,
  StoredOrderItem,
  StoredProduct,
  StoredProductGroup,
  StoredReview,
  StoredReward,
} from './records.ts';

export interface StateRecords {
  readonly products: StoredProduct;
  readonly productGroups: StoredProductGroup;
  readonly categories: StoredCategory;
  readonly orders: StoredOrder;
  readonly orderItems: StoredOrderItem;
  readonly reviews: StoredReview;
  readonly rewards: StoredReward;
  readonly jobs: StoredJob;
  readonly hints: StoredHint;
}

export type CollectionName = keyof StateRecords;

/** One write: the record as it was, undefined when it is new, and as it is now, undefined when it was removed. */
export interface StateChange {
  readonly collection: CollectionName;
  readonly action: 'created' | 'updated' | 'removed';
  readonly id: string;
  readonly before: StateRecords[CollectionName] | undefined;
  readonly record: StateRecords[CollectionName] | undefined;
}

/** The first id is the next number. */
const lastIdOfNone = 1_000_000;

/**
 * All records of the service and their relations. The rules of operations are in the handlers. The watcher is called
 * after every write.
 */
export class State {
  readonly products = new Collection<StoredProduct, 'originId' | 'groupId'>(
    { originId: byText((product) => product.originId), groupId: byId((product) => product.groupId) },
    (before, after) => {
      this.#tallies.productChanged(before, after);
      this.#noteChange('products', before, after);
    },
  );
  readonly productGroups = new Collection<StoredProductGroup, 'name'>(
    { name: byText((group) => group.name) },
    (before, after) => this.#noteChange('productGroups', before, after),
  );
  readonly categories = new Collection<StoredCategory, 'originId'>(
    { originId: byText((category) => category.originId) },
    (before, after) => this.#noteChange('categories', before, after),
  );
  readonly orders = new Collection<StoredOrder, 'originId'>(
    { originId: byText((order) => order.originId) },
    (before, after) => this.#noteChange('orders', before, after),
  );
  readonly orderItems = new Collection<StoredOrderItem, 'originId' | 'orderId'>(
    { originId: byText((item) => item.originId), orderId: byId((item) => item.orderId) },
    (before, after) => this.#noteChange('orderItems', before, after),
  );
  readonly reviews = new Collection<StoredReview, 'orderItemId'>(
    { orderItemId: byId((review) => review.orderItemId) },
    (before, after) => {
      const product = this.products.get((after ?? before)?.productId ?? '');
      this.#tallies.reviewChanged(before, after, product?.groupId ?? null);
      this.#noteChange('reviews', before, after);
    },
  );
  readonly rewards = new Collection<StoredReward, 'reviewId'>(
    { reviewId: byId((reward) => reward.reviewId) },
    (before, after) => this.#noteChange('rewards', before, after),
  );
  readonly jobs = new Collection<StoredJob, never>({}, (before, after) => {
    if (!before && after?.task) this.pendingJobs.add({ ...after, task: after.task });
    this.#noteChange('jobs', before, after);
  });
  readonly hints = new Collection<StoredHint, never>({}, (before, after) =>
    this.#noteChange('hints', before, after),
  );

  readonly pendingJobs = new PendingJobs();
  readonly #tallies = new RatingTallies();
  #watcher: ((change: StateChange) => void) | undefined;
  #lastId = lastIdOfNone;

  /** Calls `watcher` after every write from now on. */
  watch(watcher: (change: StateChange) => void): void {
    this.#watcher = watcher;
  }

  /** Whether no id has been assigned. */
  get isEmpty(): boolean {
    return this.#lastId === lastIdOfNone;
  }

  /** The last id assigned; ids increase in the order of creation across all kinds of records. */
  get lastId(): number {
    return this.#lastId;
  }

  nextId(): string {
    this.#lastId += 1;
    return String(this.#lastId);
  }

  /** The reviews of the product itself. */
  directReviews(product: StoredProduct): RatingTally {
    return this.#tallies.ofProduct(product.id);
  }

  /** The reviews shown with the product: those of its group, which all its products share. */
  sharedReviews(product: StoredProduct): RatingTally {
    return product.groupId === null ? this.directReviews(product) : this.groupReviews(product.groupId);
  }

  groupReviews(groupId: string): RatingTally {
    return this.#tallies.ofGroup(groupId);
  }

  /** Puts back a stored record. Products have to be restored before their reviews. */
  restore<N extends CollectionName>(name: N, record: StateRecords[N]): void {
    (this[name] as { put(record: StateRecords[N]): void }).put(record);
    this.#lastId = Math.max(this.#lastId, Number(record.id));
  }

  #noteChange(
    collection: CollectionName,
    before: StateRecords[CollectionName] | undefined,
    after: StateRecords[CollectionName] | undefined,
  ): void {
    const record = after ?? before;
    if (!record || !this.#watcher) return;
    const action = before === undefined ? 'created' : after === undefined ? 'removed' : 'updated';
    this.#watcher({ collection, action, id: record.id, before, record: after });
  }
}
