import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { OperationName } from '../../contract/operations.ts';
import { writableFields } from '../../contract/writable-fields.ts';
import { type Difference, differencesIn, partOf } from './differences.ts';

/** A write of one record, with the sent values. */
export interface Write {
  readonly operation: OperationName;
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  /** The record before the write, if known. */
  readonly before?: unknown;
  /** The shop's id of the record in the row, unless it was already compared with the service. */
  readonly originId?: string | undefined;
}

/** A field that the reply to a write shows with an unintended value. */
export interface ReplyDifference extends Difference {
  /** True if the write sent the field. Otherwise, the field should not have changed. */
  readonly wasSent: boolean;
}

/**
 * The fields with unintended values in `shown`, the raw reply to a write: sent fields with another value, and unsent
 * fields that changed. Only proven differences count.
 */
export function replyDifferences(write: Write, shown: JsonObject): readonly ReplyDifference[] {
  const sent = notShownAsSent(sentBy(write), shown);
  if (Object.keys(sent).length === 0 && write.before === undefined) return [];
  const before = isJsonObject(write.before) ? inBodyShape(write.before) : {};
  // A service may show parts of an object that no write has, so no write can remove them.
  const had: JsonObject = { ...before, ...writableFields(write.operation, before) };
  const has = inBodyShape(shown);
  const differences = (fields: JsonObject, wasSent: boolean) =>
    Object.entries(fields).flatMap(([name, meant]) =>
      differencesIn(name, { meant, had: had[name], shown: has[name] }, 'proof').map((difference) => ({
        ...difference,
        wasSent,
      })),
    );
  return [...differences(sent, true), ...differences(keptFields(write), false)];
}

/** Fields that a record shows under another name. */
const movedFields: ReadonlySet<string> = new Set(['groupId', 'productOriginId']);

/** The sent fields that the reply does not show unchanged. This quick comparison removes nearly all. */
function notShownAsSent(sent: JsonObject, shown: JsonObject): JsonObject {
  const isShown = (name: string) => sent[name] === shown[name] && !movedFields.has(name);
  return Object.fromEntries(Object.entries(sent).filter(([name]) => name !== 'imageUrl' && !isShown(name)));
}

/** The intended record after the write, in the shape of a body. An updated record is identified by its id. */
function sentBy({ operation, params = {}, body }: Write): JsonObject {
  const fields = isJsonObject(body) ? body : {};
  const [id] = Object.values(params);
  if (id === undefined) return fields;
  return operation === 'addOrderItem' ? { id, items: [fields] } : { id, ...fields };
}

/** The fields that a write could have sent but did not, with their values before it, in the shape of a body. */
export function keptFields({ operation, body, before }: Write): JsonObject {
  if (!isJsonObject(before) || !isJsonObject(body)) return {};
  const had = Object.entries(writableFields(operation, inBodyShape(before)));
  return Object.fromEntries(had.filter(([name, value]) => value != null && body[name] === undefined));
}

/**
 * A record with its fields named as in bodies, except its image: the service may show the address of a copy, and
 * another one each time (assumption `imageUrlReply`).
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
