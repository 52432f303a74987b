import type { OrderItemStatus, RewardStatus } from '../../contract/states.ts';

/*
 * The records of the service: plain documents that refer to each other by id. Records are replaced, never mutated.
 * Times are `2019-08-24T14:15:22Z`, as in replies. `null` means that a field has no value.
 */

export type StoredProduct = {
  readonly id: string;
  readonly originId: string;
  readonly name: string;
  readonly imageUrl: string | null;
  readonly url: string;
  readonly categories: readonly { readonly categoryId: string; readonly isPrimary: boolean }[];
  readonly groupId: string | null;
  readonly brand: { readonly id: string; readonly originId: string; readonly name: string } | null;
  readonly isAlimtalkEnabled: boolean;
  readonly isReviewDisabled: boolean;
};

export type StoredProductGroup = {
  readonly id: string;
  readonly name: string;
  readonly imageUrl: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
};

export type StoredCategory = {
  readonly id: string;
  readonly originId: string;
  readonly name: string;
  readonly isVisible: boolean;
  readonly position: number;
  readonly parentId: string | null;
  readonly isReviewDisabled: boolean;
};

export type StoredBuyer = {
  readonly name: string | null;
  readonly phone: string | null;
  readonly email: string | null;
};

export type StoredRecipient = {
  readonly name: string | null;
  readonly phone: string | null;
};

export type StoredOrder = {
  readonly id: string;
  readonly originId: string;
  readonly orderedAt: string;
  readonly memberOriginId: string | null;
  readonly alimtalkTemplateCode: string | null;
  readonly buyer: StoredBuyer | null;
  readonly recipient: StoredRecipient | null;
};

type StoredShipment = {
  readonly companyCode: string | null;
  readonly trackingNumber: string | null;
  readonly deliveredAt: string | null;
};

export type StoredOrderItem = {
  readonly id: string;
  readonly originId: string;
  readonly orderId: string;
  readonly productId: string;
  readonly status: OrderItemStatus | null;
  readonly selectedOptions: readonly { readonly name: string; readonly value: string }[];
  readonly paidPrice: number | null;
  readonly shipment: StoredShipment | null;
};

type StoredMedium = {
  readonly thumbnail: string;
  readonly large: string;
};

export type StoredReview = {
  readonly id: string;
  readonly originId: string | null;
  readonly orderItemId: string;
  /** The product when the review was written. The order item may later refer to another one. */
  readonly productId: string;
  readonly userNickname: string;
  readonly title: string | null;
  readonly text: string;
  readonly rating: number;
  readonly uploadFrom: string;
  readonly videos: readonly StoredMedium[];
  readonly images: readonly StoredMedium[];
  readonly questionAnswers: readonly { readonly question: string; readonly answer: string }[];
  readonly isVisible: boolean;
  readonly isBlocked: boolean;
  readonly blockReason: string | null;
  readonly isFixed: boolean;
  readonly isCommented: boolean;
  readonly helpfulCount: number;
  readonly reportStatus: string | null;
  readonly createdAt: string;
  /** Time of the consumer's last edit; null if there is none. */
  readonly editedAt: string | null;
  /** Time of the last change to any field. */
  readonly updatedAt: string;
};

export type StoredReward = {
  readonly id: string;
  readonly amount: number;
  readonly reviewCategory: string;
  readonly status: RewardStatus;
  readonly reviewId: string;
  readonly orderItemId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
};

export type BulkItemEntry = {
  readonly originId: string;
  readonly productOriginId: string;
};

/** The optional fields of an order item (API 4.11, 4.13). */
export type StoredItemDetails = {
  readonly status?: StoredOrderItem['status'] | undefined;
  readonly selectedOptions?: StoredOrderItem['selectedOptions'] | undefined;
  readonly paidPrice?: number | undefined;
  readonly shipment?: { readonly [K in keyof StoredShipment]?: string | undefined } | undefined;
};

export type OrderItemInput = BulkItemEntry & StoredItemDetails;

/** The task of a job, run when it is due. Items have details only under the assumption `bulkExtraFields`. */
export type Task =
  | { readonly kind: 'create-category'; readonly originId: string; readonly name: string }
  | ({ readonly kind: 'create-order-item'; readonly orderOriginId: string } & OrderItemInput)
  | {
      readonly kind: 'create-order';
      readonly order: Omit<StoredOrder, 'id'>;
      readonly items: readonly OrderItemInput[];
    }
  | { readonly kind: 'fail'; readonly reason: string };

export type StoredJob = {
  readonly entryOriginId: string | null;
  /** Null once it has run. */
  readonly task: Task | null;
  readonly successObjectId: string | null;
  readonly failureReason: string | null;
};

/** The jobs of one bulk request. Its id is that of the first job; the other jobs have the ids that follow. */
export type StoredBulk = {
  readonly id: string;
  readonly createdAt: string;
  /** Time at which the jobs run, in milliseconds since the epoch. */
  readonly dueAtMs: number;
  /** Time at which the jobs ran; null before. */
  readonly endedAt: string | null;
  readonly jobs: readonly StoredJob[];
};

/** One line of the webhook hint log (API 6). */
export type StoredHint = {
  readonly id: string;
  readonly time: string;
  readonly rewardId: string;
  /** HTTP status of the answer; null if there was none. */
  readonly status: number | null;
  readonly isPaid: boolean;
  readonly message: string | null;
};
