import { basename } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { documentColumns } from '../../contract/document-columns.ts';
import { resources } from '../../contract/resources.ts';
import type { OutcomeWord } from '../../push/steps/outcome.ts';
import { textOf } from './fields.ts';
import { outcomeWriter } from './outcome-writer.ts';
import type { Attention, Column, View } from './view.ts';

export const productView: View = {
  noun: 'product',
  id: 'id',
  get csvColumns() {
    return documentColumns(resources.Product);
  },
  columns: [
    { header: 'id', path: 'id', kind: 'word', isOptional: true },
    { header: 'origin id', path: 'originId', kind: 'word' },
    { header: 'name', path: 'name', kind: 'text', width: 20 },
    { header: 'group', path: 'group.id', kind: 'word', isOptional: true },
    { header: 'reviews', path: 'reviewCount', kind: 'amount', isOptional: true },
    { header: 'rating', path: 'reviewRatingAverage', kind: 'number', decimals: 2, isOptional: true },
  ],
};

export const productGroupView: View = {
  noun: 'product group',
  id: 'id',
  get csvColumns() {
    return documentColumns(resources['Product group']);
  },
  columns: [
    { header: 'id', path: 'id', kind: 'word' },
    { header: 'name', path: 'name', kind: 'text', width: 20 },
    { header: 'products', path: 'productCount', kind: 'amount' },
    { header: 'reviews', path: 'reviewCount', kind: 'amount', isOptional: true },
    { header: 'rating', path: 'reviewRatingAverage', kind: 'number', decimals: 2, isOptional: true },
    { header: 'created', path: 'createdAt', kind: 'date', isOptional: true },
  ],
};

export const categoryView: View = {
  noun: 'category',
  id: 'id',
  get csvColumns() {
    return documentColumns(resources.Category);
  },
  columns: [
    { header: 'id', path: 'id', kind: 'word', isOptional: true },
    { header: 'origin id', path: 'originId', kind: 'word' },
    { header: 'name', path: 'name', kind: 'text', width: 20 },
    { header: 'visible', path: 'isVisible', kind: 'boolean' },
  ],
};

export const orderView: View = {
  noun: 'order',
  id: 'id',
  get csvColumns() {
    return documentColumns(resources.Order);
  },
  columns: [
    { header: 'id', path: 'id', kind: 'word', isOptional: true },
    { header: 'origin id', path: 'originId', kind: 'word' },
    { header: 'member', path: 'memberOriginId', kind: 'word' },
    { header: 'items', path: 'items', kind: 'amount' },
    { header: 'ordered', path: 'orderedAt', kind: 'date', isOptional: true },
    { header: 'buyer', path: 'buyer.name', kind: 'text', isOptional: true },
  ],
};

export const orderItemView: View = {
  noun: 'order item',
  id: 'id',
  get csvColumns() {
    return documentColumns(resources.OrderItem);
  },
  columns: [
    { header: 'id', path: 'id', kind: 'word', isOptional: true },
    { header: 'origin id', path: 'originId', kind: 'word' },
    { header: 'status', path: 'status', kind: 'word' },
    { header: 'paid', path: 'paidPrice', kind: 'amount' },
    { header: 'product', path: 'product.name', kind: 'text', width: 20, isOptional: true },
    { header: 'delivered', path: 'shipment.deliveredAt', kind: 'date', isOptional: true },
  ],
};

export const reviewView: View = {
  noun: 'review',
  id: 'id',
  get csvColumns() {
    return documentColumns(resources.Review);
  },
  columns: [
    { header: 'id', path: 'id', kind: 'word' },
    { header: 'rating', path: 'rating', kind: 'number' },
    { header: 'text', path: 'text', kind: 'text', width: 20 },
    { header: 'product', path: 'product.name', kind: 'text', isOptional: true },
    { header: 'date', path: 'createdAt', kind: 'date', isOptional: true },
    { header: 'author', path: 'userNickname', kind: 'text', isOptional: true },
  ],
};

export const rewardView: View = {
  noun: 'reward',
  id: 'id',
  get csvColumns() {
    return documentColumns(resources.Reward);
  },
  columns: [
    { header: 'id', path: 'id', kind: 'word' },
    { header: 'amount', path: 'amount', kind: 'amount' },
    { header: 'status', path: 'status', kind: 'word' },
    { header: 'member', path: 'order.memberOriginId', kind: 'word' },
    { header: 'created', path: 'createdAt', kind: 'date', isOptional: true },
    { header: 'order', path: 'order.originId', kind: 'word', isOptional: true },
    { header: 'category', path: 'reviewCategory', kind: 'text', isOptional: true },
  ],
};

/** What each outcome of a push asks of a person who is shown what would be sent. */
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

/** Of a record that is planned, or shown by a dry run. */
export function attentionOfPlanned({ outcome }: JsonObject): Attention {
  return attentionOfOutcome[outcome as OutcomeWord];
}

/** Of a record that was sent. */
function attentionOfSent(record: JsonObject): Attention {
  return attentionOfPlanned(record) === 'person' ? 'change' : 'success';
}

/** What names a record of an input, and its outcome. */
const inputRecordColumns: readonly Column[] = [
  {
    header: 'file',
    path: 'file',
    kind: 'text',
    inWords: (file) => basename(textOf(file)),
    isOptional: true,
  },
  { header: 'line', path: 'line', kind: 'number' },
  { header: 'origin id', path: 'originId', kind: 'word' },
  { header: 'outcome', path: 'outcome', kind: 'word' },
];

/**
 * The outcome of one input record; `noun` is the pushed kind, such as `order item`. The table of a dry run shows what
 * would change.
 */
export function outcomeView(noun: string, { isDryRun = false }: { readonly isDryRun?: boolean } = {}): View {
  return {
    noun,
    id: 'originId',
    csvColumns: ['file', 'line', 'originId', 'outcome', 'id', 'jobId', 'changes', 'comparedWith', 'error'],
    columns: [
      ...inputRecordColumns,
      ...(isDryRun
        ? [{ header: 'changes', path: 'changes', kind: 'note', inWords: changesInWords } as const]
        : []),
      { header: 'error', path: 'error', kind: 'note' },
    ],
    json: outcomeWriter(),
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
    { header: 'run', path: 'run', kind: 'word', isOptional: true },
    { header: 'kind', path: 'kind', kind: 'word', isOptional: true },
    { header: 'error', path: 'error', kind: 'note' },
  ],
};

/** What an update changes, or would: `name: 치마 → 바지, isReviewDisabled: false → true`. */
export function changesInWords(changes: Json | undefined): string {
  if (!isJsonObject(changes)) return textOf(changes);
  return Object.entries(changes)
    .map(([field, change]) => {
      const { from, to } = isJsonObject(change) ? change : {};
      return `${field}: ${valueInWords(from)} → ${valueInWords(to)}`;
    })
    .join(', ');
}

/** A value that an update puts in place of another; categories by their originIds, as files name them. */
function valueInWords(value: Json | undefined): string {
  if (value === null || value === undefined || value === '') return '(none)';
  return Array.isArray(value) ? `[${value.map(categoryInWords).join(' ')}]` : textOf(value);
}

function categoryInWords(category: Json): string {
  if (!isJsonObject(category)) return textOf(category);
  const { originId, isPrimary } = category;
  return `${textOf(originId)}${isPrimary === true ? ' (primary)' : ''}`;
}
