import type { OrderItemStatus, RewardStatus } from '../../contract/states.ts';

/*
 * What the service knows: plain documents that point at each other by id. A record is never changed, only replaced.
 * Times are `2019-08-24T14:15:22Z`, as replies show them. `null` stands for a field without a value.
 */

export interface ProductRecord {
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
}

export interface ProductGroupRecord {
  readonly id: string;
  readonly name: string;
  readonly imageUrl: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface CategoryRecord {
  readonly id: string;
  readonly originId: string;
  readonly name: string;
  readonly isVisible: boolean;
  readonly position: number;
  readonly parentId: string | null;
  readonly isReviewDisabled: boolean;
}

export interface BuyerRecord {
  readonly name: string | null;
  readonly phone: string | null;
  readonly email: string | null;
}

export interface RecipientRecord {
  readonly name: string | null;
  readonly phone: string | null;
}

export interface OrderRecord {
  readonly id: string;
  readonly originId: string;
  readonly orderedAt: string;
  readonly memberOriginId: string | null;
  readonly alimtalkTemplateCode: string | null;
  readonly buyer: BuyerRecord | null;
  readonly recipient: RecipientRecord | null;
}

export interface ShipmentRecord {
  readonly companyCode: string | null;
  readonly trackingNumber: string | null;
  readonly deliveredAt: string | null;
}

export interface OrderItemRecord {
  readonly id: string;
  readonly originId: string;
  readonly orderId: string;
  readonly productId: string;
  readonly status: OrderItemStatus | null;
  readonly selectedOptions: readonly { readonly name: string; readonly value: string }[];
  readonly paidPrice: number | null;
  readonly shipment: ShipmentRecord | null;
}

export interface MediumRecord {
  readonly thumbnail: string;
  readonly large: string;
}

export interface ReviewRecord {
  readonly id: string;
  readonly originId: string | null;
  readonly orderItemId: string;
  /** The product at the time of writing; the order item may be corrected to another one later. */
  readonly productId: string;
  readonly userNickname: string;
  readonly title: string | null;
  readonly text: string;
  readonly rating: number;
  readonly uploadFrom: string;
  readonly videos: readonly MediumRecord[];
  readonly images: readonly MediumRecord[];
  readonly questionAnswers: readonly { readonly question: string; readonly answer: string }[];
  readonly isVisible: boolean;
  readonly isBlocked: boolean;
  readonly blockReason: string | null;
  readonly isFixed: boolean;
  readonly isCommented: boolean;
  readonly helpfulCount: number;
  readonly reportStatus: string | null;
  readonly createdAt: string;
  /** When the consumer last changed the review; null until then. */
  readonly editedAt: string | null;
  /** When anybody last changed anything of it. */
  readonly updatedAt: string;
}

export interface RewardRecord {
  readonly id: string;
  readonly amount: number;
  readonly reviewCategory: string;
  readonly status: RewardStatus;
  readonly reviewId: string;
  readonly orderItemId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface BulkItemEntry {
  readonly originId: string;
  readonly productOriginId: string;
}

/** What an order item may carry besides its originId and product (API 4.11, 4.13). */
export interface OrderItemDetails {
  readonly status?: OrderItemRecord['status'] | undefined;
  readonly selectedOptions?: OrderItemRecord['selectedOptions'] | undefined;
  readonly paidPrice?: number | undefined;
  readonly shipment?: { readonly [K in keyof ShipmentRecord]?: string | undefined } | undefined;
}

export type OrderItemInput = BulkItemEntry & OrderItemDetails;

/** What a job will do when it is due; items carry details only under the assumption `bulkExtraFields`. */
export type Task =
  | { readonly kind: 'create-category'; readonly originId: string; readonly name: string }
  | ({ readonly kind: 'create-order-item'; readonly orderOriginId: string } & OrderItemInput)
  | {
      readonly kind: 'create-order';
      readonly order: Omit<OrderRecord, 'id'>;
      readonly items: readonly OrderItemInput[];
    }
  | { readonly kind: 'fail'; readonly reason: string };

export interface JobRecord {
  readonly id: string;
  readonly status: 'PENDING' | 'SUCCESS' | 'FAILURE';
  readonly entryOriginId: string | null;
  readonly successObjectId: string | null;
  readonly failureReason: string | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** When the task is carried out, in milliseconds since the epoch. */
  readonly dueAtMs: number;
  /** Null once it was carried out. */
  readonly task: Task | null;
}

/** One line of the webhook hint log (API 6). */
export interface HintRecord {
  readonly id: string;
  readonly time: string;
  readonly rewardId: string;
  /** The HTTP status of the answer, or null when there was none. */
  readonly status: number | null;
  readonly isPaid: boolean;
  readonly message: string | null;
}
