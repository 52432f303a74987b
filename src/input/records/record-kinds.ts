import type { OrderItemStatus } from '../../contract/states.ts';
import { findCyclicCategories } from './category-cycles.ts';
import type { Field, RecordConflict } from './field.ts';

/** A product to create or update (API 4.1, 4.4); `name` is required by the service to create only. */
export type ProductRecord = {
  readonly originId: string;
  /** What the service has to know the product by, where the input says it; never sent. */
  readonly id?: string;
  readonly name?: string;
  readonly imageUrl?: string;
  readonly categories?: readonly ProductCategory[];
  readonly groupId?: string;
  readonly groupName?: string;
  readonly isAlimtalkEnabled?: boolean;
  readonly isReviewDisabled?: boolean;
};

/** One category of a product; `isPrimary` only where the input says so. */
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

/** One order item with what its row knows of the order (API 4.10, 4.11, 4.14). */
export type OrderItemRecord = {
  readonly orderOriginId: string;
  readonly originId: string;
  readonly productOriginId: string;
  readonly status?: OrderItemStatus;
  readonly selectedOptions?: readonly SelectedOption[];
  /** An exact decimal. */
  readonly paidPrice?: string;
  readonly shipment?: {
    readonly companyCode?: string;
    readonly trackingNumber?: string;
    readonly deliveredAt?: string;
  };
  /** ISO-8601 with an offset, like every date-time here. */
  readonly orderedAt?: string;
  readonly memberOriginId?: string;
  readonly alimtalkTemplateCode?: string | null;
  readonly buyer?: { readonly name?: string; readonly phone?: string; readonly email?: string };
  readonly recipient?: { readonly name?: string; readonly phone?: string };
};

/** Some fields of an item that the service has already (API 4.13), known by `id`, or by `originId`: one of them at least. */
export type OrderItemUpdateRecord = {
  readonly id?: string;
  readonly originId?: string;
  readonly productOriginId?: string;
  readonly orderOriginId?: string;
  /** The service's id of the order, with which the item can be looked up. */
  readonly order?: { readonly id?: string };
  readonly status?: OrderItemStatus;
  readonly selectedOptions?: readonly SelectedOption[];
  /** An exact decimal. */
  readonly paidPrice?: string;
  readonly shipment?: {
    readonly companyCode?: string;
    readonly trackingNumber?: string;
    readonly deliveredAt?: string;
  };
};

export type SelectedOption = { readonly name: string; readonly value: string };

/** A record of any kind has an id it is known by: the shop's, or for what the service has already also the service's. */
export interface Identified {
  readonly originId?: string;
  readonly id?: string;
}

/** A record and where it starts: `file` is the path as typed (`-` for standard input), `line` counts from 1. */
export interface Entry<T> {
  readonly file: string;
  readonly line: number;
  readonly record: T;
}

export type RecordKindName = 'products' | 'categories' | 'orders' | 'order-items';

/** What a file can hold: the fields of its records, in the document's order, required ones first. */
export interface RecordKind<T> {
  readonly name: RecordKindName;
  readonly fields: readonly Field[];
  /** The fields by which a record is known; one of them it must have. Only `originId` when not given. */
  readonly knownBy?: readonly string[];
  /** What is wrong with records beside others of the input, by originId; looked for before the first is taken. */
  readonly findConflicts?: (records: AsyncIterable<T>) => Promise<ReadonlyMap<string, RecordConflict>>;
  /** Never set: it carries the record's type. */
  readonly record?: T;
}

export const productRecords: RecordKind<ProductRecord> = {
  name: 'products',
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

export const orderItemRecords: RecordKind<OrderItemRecord> = {
  name: 'orders',
  fields: [
    { path: 'orderOriginId', type: 'id', isRequired: true, isOfOrder: true },
    { path: 'originId', type: 'id', isRequired: true },
    { path: 'productOriginId', type: 'id', isRequired: true, isProductKey: true },
    { path: 'status', type: 'status' },
    { path: 'selectedOptions', type: 'selectedOptions' },
    { path: 'paidPrice', type: 'money' },
    { path: 'shipment.companyCode', type: 'carrier' },
    { path: 'shipment.trackingNumber', type: 'trackingNumber' },
    { path: 'shipment.deliveredAt', type: 'dateTime' },
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
  fields: [
    { path: 'id', type: 'id' },
    { path: 'originId', type: 'id' },
    { path: 'productOriginId', type: 'id', isProductKey: true },
    { path: 'orderOriginId', type: 'id', isOfOrder: true },
    { path: 'order.id', type: 'id', isOfOrder: true },
    { path: 'status', type: 'status' },
    { path: 'selectedOptions', type: 'selectedOptions' },
    { path: 'paidPrice', type: 'money' },
    { path: 'shipment.companyCode', type: 'carrier' },
    { path: 'shipment.trackingNumber', type: 'trackingNumber' },
    { path: 'shipment.deliveredAt', type: 'dateTime' },
  ],
};
