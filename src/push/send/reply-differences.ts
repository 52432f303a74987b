import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { OperationName } from '../../contract/operations.ts';
import { boolean, decimal, readScalar, text } from '../../contract/reply-codecs.ts';
import { writableFields } from '../../contract/writable-fields.ts';
import { carrierReader, readTrackingNumber } from '../../input/cells/shipment.ts';
import { readText } from '../../input/cells/text.ts';

/** A write of one record, with what it sent. */
export interface Write {
  readonly operation: OperationName;
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  /** The record before it, as far as that is known. */
  readonly before?: unknown;
}

/** A field that the reply to a write shows otherwise than it was meant to be. */
export interface ReplyDifference {
  /** The name the field has in a body; `shipment.trackingNumber` of one inside another. */
  readonly field: string;
  readonly meant: Json;
  readonly shown: Json;
  /** Whether the write sent the field; else it was to stay as it was. */
  readonly wasSent: boolean;
}

/**
 * The fields that `shown`, the reply to a write as the service wrote it, shows neither as sent nor, where they were not
 * sent, as they were before. A field that the reply leaves out proves nothing, nor does null where the service is not
 * known to have shown a value. Notations of one value are the same.
 */
export function replyDifferences(write: Write, shown: JsonObject): readonly ReplyDifference[] {
  const sent = notShownAsSent(sentBy(write), shown);
  if (Object.keys(sent).length === 0 && write.before === undefined) return [];
  const had = isJsonObject(write.before) ? inBodyShape(write.before) : {};
  const has = inBodyShape(shown);
  const differences = (meant: JsonObject, wasSent: boolean) =>
    Object.entries(meant).flatMap(([name, value]) =>
      compare(name, { meant: value, had: had[name], shown: has[name] }).map((difference) => ({
        ...difference,
        wasSent,
      })),
    );
  return [...differences(sent, true), ...differences(keptFields(write), false)];
}

/** Fields that a record shows under other names. */
const movedFields: ReadonlySet<string> = new Set(['groupId', 'productOriginId']);

/** The write without the fields that the reply shows as they were sent: nearly all, and quickly compared. */
function notShownAsSent(sent: JsonObject, shown: JsonObject): JsonObject {
  const isShown = (name: string) => sent[name] === shown[name] && !movedFields.has(name);
  return Object.fromEntries(Object.entries(sent).filter(([name]) => name !== 'imageUrl' && !isShown(name)));
}

/** What the record is meant to be by what was sent, in the shape of a body; one that was updated is known by its id. */
function sentBy({ operation, params = {}, body }: Write): JsonObject {
  const fields = isJsonObject(body) ? body : {};
  const [id] = Object.values(params);
  if (id === undefined) return fields;
  return operation === 'addOrderItem' ? { id, items: [fields] } : { id, ...fields };
}

/** The fields that a write could have sent and did not, with the values they had before it, in the shape of a body. */
export function keptFields({ operation, body, before }: Write): JsonObject {
  if (!isJsonObject(before) || !isJsonObject(body)) return {};
  const had = Object.entries(writableFields(operation, inBodyShape(before)));
  return Object.fromEntries(had.filter(([name, value]) => value != null && body[name] === undefined));
}

/**
 * A record with its fields named as bodies name them. Its image is not among them: the service may show the address of
 * a copy, and another one each time (assumption `imageUrlReply`).
 */
function inBodyShape({ group, product, categories, items, ...fields }: JsonObject): JsonObject {
  return {
    ...fields,
    imageUrl: undefined,
    groupId: partOf(group, 'id'),
    productOriginId: partOf(product, 'originId'),
    categories: eachOf(categories, (one) => ({ ...one, originId: partOf(one['category'], 'originId') })),
    items: eachOf(items, inBodyShape),
  };
}

function eachOf(list: Json | undefined, shape: (record: JsonObject) => JsonObject): Json | undefined {
  return Array.isArray(list) ? list.filter(isJsonObject).map(shape) : list;
}

type Compared = Omit<ReplyDifference, 'wasSent'>;

interface Values {
  readonly meant: Json | undefined;
  readonly had: Json | undefined;
  readonly shown: Json | undefined;
}

function compare(field: string, { meant, had, shown }: Values): readonly Compared[] {
  if (meant === undefined || shown === undefined || (shown === null && had == null)) return [];
  if (isEmpty(meant) && isEmpty(shown)) return [];
  if (Array.isArray(meant)) return compareList(field, meant as readonly Json[], shown);
  if (isJsonObject(meant)) {
    return Object.keys(meant).flatMap((name) =>
      compare(`${field}.${name}`, { meant: meant[name], had: partOf(had, name), shown: partOf(shown, name) }),
    );
  }
  return isProvenOther(field, meant, shown) ? [{ field, meant, shown }] : [];
}

/** A field of an object; of null, null. */
function partOf(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : value === null ? null : undefined;
}

function isEmpty(value: Json): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/**
 * Lists whose entries are known by an originId; an order may have items besides these, which an update may
 * leave alone.
 */
const keyedLists: ReadonlySet<string> = new Set(['categories', 'items']);

function compareList(field: string, meant: readonly Json[], shown: Json): readonly Compared[] {
  const list = shown === null ? [] : shown;
  if (!Array.isArray(list)) return [];
  const has = list as readonly Json[];
  if (!keyedLists.has(field)) return isSameSet(meant, has) ? [] : [{ field, meant, shown }];
  const [wanted, entries] = [keyed(meant), keyed(has)];
  if (wanted === undefined || entries === undefined) return [];
  const isWhole = field === 'items' || entries.size === wanted.size;
  if (!isWhole || [...wanted.keys()].some((key) => !entries.has(key))) {
    return [{ field, meant: [...wanted.keys()], shown: [...entries.keys()] }];
  }
  return [...wanted].flatMap(([key, entry]) =>
    compare(`${field}.${key}`, { meant: entry, had: undefined, shown: entries.get(key) }),
  );
}

/** Records by their originIds; undefined where one does not show its own. */
function keyed(list: readonly Json[]): ReadonlyMap<string, JsonObject> | undefined {
  const entries = new Map<string, JsonObject>();
  for (const entry of list) {
    const key = isJsonObject(entry) ? readScalar(text, entry['originId']) : undefined;
    if (key === undefined || !isJsonObject(entry)) return undefined;
    entries.set(key, entry);
  }
  return entries;
}

/** Whether two lists of options are the same, in whatever order. */
function isSameSet(meant: readonly Json[], shown: readonly Json[]): boolean {
  const comparable = (list: readonly Json[]) =>
    list.map((entry) => JSON.stringify(isJsonObject(entry) ? optionOf(entry) : entry)).toSorted();
  return JSON.stringify(comparable(meant)) === JSON.stringify(comparable(shown));
}

function optionOf({ name, value }: JsonObject): readonly Json[] {
  return [name, value].map((part) => comparableText(readScalar(text, part) ?? ''));
}

/** Whether the service shows another value, and not the same one in another notation or one that cannot be read. */
function isProvenOther(field: string, meant: Json, shown: Json): boolean {
  if (isEmpty(shown)) return true;
  if (typeof meant === 'boolean') return isOther(meant, readScalar(boolean, shown));
  const [wanted, has] = [readScalar(text, meant ?? ''), readScalar(text, shown)];
  if (wanted === undefined || has === undefined || (personal.test(field) && mask.test(has))) return false;
  const notation = notations[field.slice(field.lastIndexOf('.') + 1)] ?? comparableText;
  return isOther(notation(wanted), notation(has));
}

function isOther<T>(meant: T | undefined, shown: T | undefined): boolean {
  return meant !== undefined && shown !== undefined && meant !== shown;
}

/** What a service may show in part only. */
const personal = /^(?:.*\.)?(?:buyer|recipient)\.|^memberOriginId$/;
const mask = /[*＊○●]/;

const readCarrier = carrierReader();

/** What is compared of a text that has several notations; undefined where this one says nothing for certain. */
const notations: Readonly<Record<string, (written: string) => string | undefined>> = {
  orderedAt: comparableTime,
  deliveredAt: comparableTime,
  paidPrice: (written) => readScalar(decimal, written),
  phone: (written) => written.replace(/\D/g, '').replace(/^82(?=1)/, '0'),
  email: (written) => comparableText(written).toLowerCase(),
  companyCode: (written) => textOr(readCarrier(written), written),
  trackingNumber: (written) => textOr(readTrackingNumber(written), written),
};

/** As a file gives it: a service may trim a name. */
function comparableText(written: string): string {
  return textOr(readText(written), written);
}

function textOr(value: unknown, written: string): string {
  return typeof value === 'string' ? value : written;
}

/** The instant, to the second; a time without its zone may be any. */
function comparableTime(written: string): string | undefined {
  if (!/^[^T]*T.*(?:Z|[+-]\d\d:?\d\d)$/i.test(written)) return undefined;
  const ms = Date.parse(written);
  return Number.isNaN(ms) ? undefined : String(Math.floor(ms / 1000));
}
