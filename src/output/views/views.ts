import { basename } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { documentColumns } from '../../contract/document-columns.ts';
import { resources } from '../../contract/resources.ts';
import type { OutcomeWord } from '../../push/steps/outcome.ts';
import { textOf } from './fields.ts';
import {
  type Attention,
  amount,
  type Column,
  date,
  note,
  number,
  optional,
  text,
  type View,
  word,
} from './view.ts';

/** The view of a resource of the API document; its CSV columns are the fields of the resource. */
function resourceView(noun: string, name: keyof typeof resources, columns: readonly Column[]): View {
  return {
    noun,
    id: 'id',
    // The schemas are read on use: most commands show no resource.
    get csvColumns() {
      return documentColumns(resources[name]);
    },
    columns,
  };
}

const ratingAverage = number('rating', 'reviewRatingAverage', { decimals: 2, isOptional: true });

export const productView = resourceView('product', 'Product', [
  word('id', 'id', optional),
  word('origin id', 'originId'),
  text('name', 'name', { width: 20 }),
  word('group', 'group.id', optional),
  amount('reviews', 'reviewCount', optional),
  ratingAverage,
]);

export const productGroupView = resourceView('product group', 'Product group', [
  word('id'),
  text('name', 'name', { width: 20 }),
  amount('products', 'productCount'),
  amount('reviews', 'reviewCount', optional),
  ratingAverage,
  date('created', 'createdAt', optional),
]);

export const categoryView = resourceView('category', 'Category', [
  word('id', 'id', optional),
  word('origin id', 'originId'),
  text('name', 'name', { width: 20 }),
  word('visible', 'isVisible'),
]);

export const orderView = resourceView('order', 'Order', [
  word('id', 'id', optional),
  word('origin id', 'originId'),
  word('member', 'memberOriginId'),
  amount('items'),
  date('ordered', 'orderedAt', optional),
  text('buyer', 'buyer.name', optional),
]);

export const orderItemView = resourceView('order item', 'OrderItem', [
  word('id', 'id', optional),
  word('origin id', 'originId'),
  word('status'),
  amount('paid', 'paidPrice'),
  text('product', 'product.name', { width: 20, isOptional: true }),
  date('delivered', 'shipment.deliveredAt', optional),
]);

export const reviewView = resourceView('review', 'Review', [
  word('id'),
  number('rating'),
  text('text', 'text', { width: 20 }),
  text('product', 'product.name', optional),
  date('date', 'createdAt', optional),
  text('author', 'userNickname', optional),
]);

export const rewardView = resourceView('reward', 'Reward', [
  word('id'),
  amount('amount'),
  word('status'),
  word('member', 'order.memberOriginId'),
  date('created', 'createdAt', optional),
  word('order', 'order.originId', optional),
  text('category', 'reviewCategory', optional),
]);

/** The attention that each outcome needs if it is only planned. */
const attentionOfOutcome: Readonly<Record<OutcomeWord, Attention>> = {
  rejected: 'person',
  failed: 'person',
  unknown: 'person',
  updated: 'change',
  created: 'creation',
  queued: 'creation',
  unchanged: 'none',
  skipped: 'none',
};

/** The attention for a planned record, or for one of a dry run. */
export function attentionOfPlanned({ outcome }: JsonObject): Attention {
  return attentionOfOutcome[outcome as OutcomeWord];
}

/** The attention for a record that was sent. */
function attentionOfSent(record: JsonObject): Attention {
  return attentionOfPlanned(record) === 'person' ? 'change' : 'success';
}

/** Place and name of an input record, and its outcome. */
const inputRecordColumns: readonly Column[] = [
  text('file', 'file', { inWords: (file) => basename(textOf(file)), isOptional: true }),
  number('line'),
  word('origin id', 'originId'),
  word('outcome'),
];

/**
 * The outcome of one input record; `noun` is the pushed kind, such as `order item`. The table of a dry run shows the
 * changes.
 */
export function outcomeView(noun: string, { isDryRun = false }: { readonly isDryRun?: boolean } = {}): View {
  return {
    noun,
    id: 'originId',
    csvColumns: ['file', 'line', 'originId', 'outcome', 'id', 'jobId', 'changes', 'comparedWith', 'error'],
    columns: [
      ...inputRecordColumns,
      ...(isDryRun ? [note('changes', 'changes', { inWords: changesInWords })] : []),
      note('error'),
    ],
    attention: isDryRun ? attentionOfPlanned : attentionOfSent,
  };
}

/** A record whose last outcome was `rejected` or `failed`. */
export const openRejectView: View = {
  noun: 'reject',
  id: 'originId',
  csvColumns: ['file', 'line', 'originId', 'outcome', 'run', 'kind', 'error'],
  columns: [
    ...inputRecordColumns,
    word('run', 'run', optional),
    word('kind', 'kind', optional),
    note('error'),
  ],
};

/** The changes of an update: `name: 치마 → 바지, isReviewDisabled: false → true`. */
export function changesInWords(changes: Json | undefined): string {
  if (!isJsonObject(changes)) return textOf(changes);
  return Object.entries(changes)
    .map(([field, change]) => {
      const { from, to } = isJsonObject(change) ? change : {};
      return `${field}: ${valueInWords(from)} → ${valueInWords(to)}`;
    })
    .join(', ');
}

/** An old or new value of an update; categories and options are written as in files. */
function valueInWords(value: Json | undefined): string {
  if (value === null || value === undefined || value === '') return '(none)';
  return Array.isArray(value) ? `[${value.map(partInWords).join(' ')}]` : textOf(value);
}

function partInWords(part: Json): string {
  if (!isJsonObject(part)) return textOf(part);
  const { originId, isPrimary, name, value } = part;
  if (originId !== undefined) return `${textOf(originId)}${isPrimary === true ? ' (primary)' : ''}`;
  return value === undefined ? textOf(part) : `${textOf(name)}=${textOf(value)}`;
}
