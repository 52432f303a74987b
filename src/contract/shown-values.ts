import * as z from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { askedEntries, type Exchange, issuesOf, sentRecords } from './exchange.ts';
import { type OperationName, operations } from './operations.ts';
import { bulkEntryOf } from './validation-error.ts';

/*
 * The value that the service uses for an assumption with a few values, according to one exchange; undefined
 * where the exchange does not show it.
 */

const singleCreations: ReadonlySet<OperationName> = new Set([
  'createProduct',
  'createCategory',
  'addOrderItem',
]);

export function successStatus({ operation, status }: Exchange): string | undefined {
  return singleCreations.has(operation) && [200, 201].includes(status) ? String(status) : undefined;
}

export function validationStatus(exchange: Exchange): string | undefined {
  const { status } = exchange;
  return [400, 422].includes(status) && issuesOf(exchange).length > 0 ? String(status) : undefined;
}

export function unauthenticatedStatus({ status }: Exchange): string | undefined {
  // 403 may also mean that a valid credential lacks the permission.
  return status === 401 ? '401' : undefined;
}

/** Only for refusals by the service itself; a proxy's have another shape. */
export function errorDetail({ status, refusal }: Exchange): string | undefined {
  if (refusal === undefined || status < 400 || status >= 500) return undefined;
  if (refusal.trim() === '') return 'empty';
  if (/^\s*</.test(refusal)) return 'html';
  const detail = detailOf(refusal);
  if (typeof detail === 'string') return 'string';
  if (Array.isArray(detail)) return 'array';
  return isJsonObject(detail) ? 'object' : undefined;
}

function detailOf(refusal: string): unknown {
  try {
    const body: unknown = JSON.parse(refusal);
    return isJsonObject(body) ? body['detail'] : undefined;
  } catch {
    return undefined;
  }
}

export function locIndex(exchange: Exchange): string | undefined {
  const issue = issuesOf(exchange).find(({ loc }) => bulkEntryOf(loc) !== undefined);
  if (issue === undefined || !Array.isArray(exchange.body)) return undefined;
  return typeof issue.loc[1] === 'number' ? 'integer' : 'string';
}

export function bulkBadEntry(exchange: Exchange): string | undefined {
  if (!Array.isArray(exchange.body)) return undefined;
  if (issuesOf(exchange).some(({ loc }) => bulkEntryOf(loc) !== undefined)) return 'refuse-request';
  const jobs = Array.isArray(exchange.sent) ? (exchange.sent as readonly Json[]).filter(isJsonObject) : [];
  return jobs.some(({ failureReason }) => Boolean(failureReason)) ? 'fail-job' : undefined;
}

const itemKeys: ReadonlySet<string> = new Set(['orderOriginId', 'originId', 'productOriginId']);

export function bulkExtraFields(exchange: Exchange): string | undefined {
  if (exchange.operation !== 'bulkCreateOrderItems') return undefined;
  const hasExtra = askedEntries(exchange).some((entry) =>
    Object.keys(entry).some((key) => !itemKeys.has(key)),
  );
  if (!hasExtra) return undefined;
  if (exchange.value !== undefined) return 'taken';
  return issuesOf(exchange).some(({ type }) => type.includes('extra')) ? 'refused' : undefined;
}

export function duplicateOriginId(exchange: Exchange): string | undefined {
  const { operation, status } = exchange;
  if (operation === 'listProducts')
    return hasRepeated(sentRecords(exchange), 'originId') ? 'accept' : undefined;
  if (!singleCreations.has(operation)) return undefined;
  const isTaken = issuesOf(exchange).some(
    ({ loc, msg, type }) =>
      loc.at(-1) === 'originId' && /exist|duplicate|unique|taken|conflict/i.test(`${type} ${msg}`),
  );
  return isTaken || status === 409 ? 'refuse' : undefined;
}

export function groupName(exchange: Exchange): string | undefined {
  if (exchange.operation !== 'listProductGroups') return undefined;
  return hasRepeated(sentRecords(exchange), 'name') ? 'may-duplicate' : undefined;
}

function hasRepeated(records: readonly JsonObject[], field: string): boolean {
  const values = records.flatMap((record) => record[field] ?? []);
  return new Set(values).size < values.length;
}

/** Only a flag that differs from its default can show that it was kept. */
export function defaultsOnUpdate(exchange: Exchange): string | undefined {
  const { operation, value } = exchange;
  if (operation !== 'updateProduct' || value === undefined) return undefined;
  const [sent] = askedEntries(exchange);
  const shown = value as JsonObject;
  const isKept =
    (sent?.['isReviewDisabled'] === undefined && shown['isReviewDisabled'] === true) ||
    (sent?.['isAlimtalkEnabled'] === undefined && shown['isAlimtalkEnabled'] === false);
  return isKept ? 'keep' : undefined;
}

/** Fields that an update can set, and whose value replies show unchanged. */
const comparable = ['name', 'isVisible', 'status'] as const;

export function writeReply(exchange: Exchange): string | undefined {
  const [sent] = askedEntries(exchange);
  const [shown] = sentRecords(exchange);
  if (!exchange.operation.startsWith('update') || sent === undefined || shown === undefined) return undefined;
  return comparable.some((field) => sent[field] !== undefined && sent[field] === shown[field])
    ? 'current'
    : undefined;
}

export function imageUrlReply(exchange: Exchange): string | undefined {
  if (exchange.operation !== 'createProduct' && exchange.operation !== 'updateProduct') return undefined;
  const given = askedEntries(exchange)[0]?.['imageUrl'];
  const image = sentRecords(exchange)[0]?.['image'];
  const shown = isJsonObject(image) ? image['url'] : undefined;
  if (typeof given !== 'string' || typeof shown !== 'string') return undefined;
  return given === shown ? 'as-given' : 'rehosted';
}

export function paidPriceReply(exchange: Exchange): string | undefined {
  const [record] = sentRecords(exchange);
  const items = Array.isArray(record?.['items']) ? (record['items'] as readonly Json[]) : [];
  return scalarType([record, record?.['orderItem'], ...items], 'paidPrice');
}

export function isAlimtalkEnabledReply(exchange: Exchange): string | undefined {
  const [record] = sentRecords(exchange);
  return scalarType([record, record?.['product']], 'isAlimtalkEnabled');
}

/** The type of a field in the first record that has it. */
function scalarType(records: readonly (Json | undefined)[], field: string): string | undefined {
  const types = records.map((record) => (isJsonObject(record) ? typeof record[field] : undefined));
  return types.find((type) => type !== undefined && ['string', 'number', 'boolean'].includes(type));
}

export function replyScalars({ sent }: Exchange): string | undefined {
  const count = isJsonObject(sent) ? sent['totalCount'] : undefined;
  if (typeof count === 'number') return 'documented';
  return typeof count === 'string' ? 'swapped' : undefined;
}

/** Decided by a record that lacks documented fields, even if other fields are null. */
export function emptyFields(exchange: Exchange): string | undefined {
  const [record] = sentRecords(exchange);
  if (record === undefined) return undefined;
  const values = documentedFields(exchange.operation).map((field) => record[field]);
  if (values.includes(undefined)) return 'missing';
  return values.includes(null) ? 'null' : undefined;
}

function documentedFields(operation: OperationName): readonly string[] {
  const { reply }: { readonly reply: z.ZodType } = operations[operation];
  const data = reply instanceof z.ZodObject ? reply.shape['data'] : reply;
  const record = data instanceof z.ZodArray ? data.element : reply;
  return record instanceof z.ZodObject ? Object.keys(record.shape) : [];
}

/** Decided by a record at the very end of the requested range. */
export function timeRangeEnd(exchange: Exchange): string | undefined {
  const endMs = timeOf(exchange.query?.['createdAtEnd']);
  if (endMs === undefined || exchange.operation !== 'listReviews') return undefined;
  return sentRecords(exchange).some(({ createdAt }) => timeOf(createdAt) === endMs) ? 'inclusive' : undefined;
}

/** Decided by a reward with only one of its two dates in the requested range. */
export function rewardTimeMeans({ operation, query, ...exchange }: Exchange): string | undefined {
  const start = timeOf(query?.['createdAtStart']) ?? Number.NEGATIVE_INFINITY;
  const end = timeOf(query?.['createdAtEnd']) ?? Number.POSITIVE_INFINITY;
  if (operation !== 'listRewards' || start === -end) return undefined;
  for (const { createdAt, review } of sentRecords({ operation, ...exchange })) {
    const [ofReward, ofReview] = [createdAt, isJsonObject(review) ? review['createdAt'] : undefined].map(
      timeOf,
    );
    if (ofReward === undefined || ofReview === undefined) continue;
    const [isReward, isReview] = [ofReward, ofReview].map((time) => time >= start && time <= end);
    if (isReward !== isReview) return isReview ? 'review' : 'reward';
  }
  return undefined;
}

/** Only a complete date-time with a zone is an instant. */
function timeOf(text: unknown): number | undefined {
  const isWhole = typeof text === 'string' && /^[^T]*T.*(?:Z|[+-]\d{2}:?\d{2})$/.test(text);
  const time = isWhole ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

export function rewardTransitions(exchange: Exchange): string | undefined {
  if (exchange.operation !== 'updateReward') return undefined;
  const isStatusRefused = issuesOf(exchange).some(({ loc }) => loc.at(-1) === 'status');
  return isStatusRefused || exchange.status === 409 ? 'from-queued' : undefined;
}
