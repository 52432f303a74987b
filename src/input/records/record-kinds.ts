import type { OrderItemStatus } from '../../contract/states.ts';
import { findCyclicCategories } from './category-cycles.ts';
import type { Field, RecordConflict } from './field.ts';

/** A product to create or update (API 4.1, 4.4). The service requires `name` only for creation. */
export type ProductRecord = {
  readonly originId: string;
  /** The service's id of the product, if the input has it; never sent. */
  readonly id?: string;
  readonly name?: string;
  readonly imageUrl?: string;
  readonly categories?: readonly ProductCategory[];
  readonly groupId?: string;
  readonly groupName?: string;
  readonly isAlimtalkEnabled?: boolean;
  readonly isReviewDisabled?: boolean;
};

/** A category of a product. `isPrimary` is set only if the input has it. */
export type ProductCategory = { readonly originId: string; readonly isPrimary?: boolean };

/** A category to create (API 4.7). */
export type CategoryRecord = {
  readonly originId: string;
  readonly name: string;
  readonly isVisible?: boolean;
  readonly position?: number;
  readonly parentOriginId?: string;
  readonly isReviewDisabled?: boolean;
};

/** An order item with the fields of its order (API 4.10, 4.11, 4.14). */
export type OrderItemRecord = {
  readonly orderOriginId: string;
  readonly originId: string;
  readonly productOriginId: string;
  readonly status?: OrderItemStatus;
  readonly selectedOptions?: readonly SelectedOption[];
  /** Exact decimal, as text. */
  readonly paidPrice?: string;
  readonly shipment?: {
    readonly companyCode?: string;
    readonly trackingNumber?: string;
    readonly deliveredAt?: string;
  };
  /** ISO-8601 with an offset, like all date-times in records. */
  readonly orderedAt?: string;
  /** Null for a guest; never sent. */
  readonly memberOriginId?: string | null;
  readonly alimtalkTemplateCode?: string | null;
  readonly buyer?: { readonly name?: string; readonly phone?: string; readonly email?: string };
  readonly recipient?: { readonly name?: string; readonly phone?: string };
};

/** Changes to an existing item (API 4.13), identified by `id` or `originId`. */
export type OrderItemUpdateRecord = Partial<
  Pick<OrderItemRecord, 'originId' | 'productOriginId' | 'orderOriginId'>
> &
  Pick<OrderItemRecord, 'status' | 'selectedOptions' | 'paidPrice' | 'shipment'> & {
    readonly id?: string;
    /** The service's id of the order, with which the item can be looked up. */
    readonly order?: { readonly id?: string };
  };

export type SelectedOption = { readonly name: string; readonly value: string };

/** The ids of a record: the shop's, and for existing records also the service's. */
export interface Identified {
  readonly originId?: string;
  readonly id?: string;
}

/** A record and its position. `file` is the path as typed (`-` for standard input); `line` is counted from 1. */
export interface Entry<T> {
  readonly file: string;
  readonly line: number;
  readonly record: T;
}

export type RecordKindName = 'products' | 'categories' | 'orders' | 'order-items';

/** A kind of record: its fields in the document's order, required ones first. */
export interface RecordKind<T = unknown> {
  readonly name: RecordKindName;
  readonly fields: readonly Field[];
  /** Paths of the fields that can identify a record; it needs one of them. By default `originId` alone. */
  readonly knownBy?: readonly string[];
  /** For kinds that can be pushed in shards: paths of fields, of which the first with a value determines the shard. */
  readonly shardedBy?: readonly string[];
  /** Finds conflicts between records of the input, by originId, before the first record is accepted. */
  findConflicts?(records: AsyncIterable<T>): Promise<ReadonlyMap<string, RecordConflict>>;
  /** Never set; carries the type of the record. */
  readonly record?: T;
}

export const productRecords: RecordKind<ProductRecord> = {
  name: 'products',
  shardedBy: ['originId'],
  fields: [
    { path: 'originId', type: 'id', isRequired: true, isProductKey: true },
    { path: 'name', type: 'text' },
    { path: 'imageUrl', type: 'imageUrl' },
    { path: 'categories', type: 'categories' },
    { path: 'groupId', type: 'id' },
    { path: 'groupName', type: 'text' },
    { path: 'isAlimtalkEnabled', type: 'boolean' },
    { path: 'isReviewDisabled', type: 'boolean' },
    { path: 'id', type: 'id', isServiceId: true },
  ],
};

export const categoryRecords: RecordKind<CategoryRecord> = {
  name: 'categories',
  findConflicts: findCyclicCategories,
  fields: [
    { path: 'originId', type: 'id', isRequired: true },
    { path: 'name', type: 'text', isRequired: true },
    { path: 'isVisible', type: 'boolean' },
    { path: 'position', type: 'integer' },
    { path: 'parentOriginId', type: 'id' },
    { path: 'isReviewDisabled', type: 'boolean' },
  ],
};

/** The fields of an order item that can be changed (API 4.13). */
const changeableFields: readonly Field[] = [
  { path: 'status', type: 'status' },
  { path: 'selectedOptions', type: 'selectedOptions' },
  { path: 'paidPrice', type: 'money' },
  { path: 'shipment.companyCode', type: 'carrier' },
  { path: 'shipment.trackingNumber', type: 'trackingNumber' },
  { path: 'shipment.deliveredAt', type: 'dateTime' },
];

export const orderItemRecords: RecordKind<OrderItemRecord> = {
  name: 'orders',
  shardedBy: ['orderOriginId'],
  fields: [
    { path: 'orderOriginId', type: 'id', isRequired: true, isOfOrder: true },
    { path: 'originId', type: 'id', isRequired: true },
    { path: 'productOriginId', type: 'id', isRequired: true, isProductKey: true },
    ...changeableFields,
    { path: 'orderedAt', type: 'dateTime', isOfOrder: true },
    { path: 'memberOriginId', type: 'memberId', isOfOrder: true },
    { path: 'alimtalkTemplateCode', type: 'id', isNullable: true, isOfOrder: true },
    { path: 'buyer.name', type: 'text', isOfOrder: true },
    { path: 'buyer.phone', type: 'phone', isOfOrder: true },
    { path: 'buyer.email', type: 'email', isOfOrder: true },
    { path: 'recipient.name', type: 'text', isOfOrder: true },
    { path: 'recipient.phone', type: 'phone', isOfOrder: true },
  ],
};

export const orderItemUpdateRecords: RecordKind<OrderItemUpdateRecord> = {
  name: 'order-items',
  knownBy: ['id', 'originId'],
  // In the order in which duplicates are found.
  shardedBy: ['originId', 'id'],
  fields: [
    { path: 'id', type: 'id' },
    { path: 'originId', type: 'id' },
    { path: 'productOriginId', type: 'id', isProductKey: true },
    { path: 'orderOriginId', type: 'id', isOfOrder: true },
    { path: 'order.id', type: 'id', isOfOrder: true },
    ...changeableFields,
  ],
};
