import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { OperationName } from '../../contract/operations.ts';
import { writableFields } from '../../contract/writable-fields.ts';
import { type Difference, differencesIn, partOf } from './differences.ts';

/** A write of one record, with what it sent. */
export interface Write {
  readonly operation: OperationName;
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  /** The record before it, as far as that is known. */
  readonly before?: unknown;
  /** The shop's id by which a row names the record, if that was not compared with the service's id before. */
  readonly originId?: string | undefined;
}

/** A field that the reply to a write shows otherwise than it was meant to be. */
export interface ReplyDifference extends Difference {
  /** Whether the write sent the field; else it was to stay as it was. */
  readonly wasSent: boolean;
}

/**
 * The fields that `shown`, the reply to a write as the service wrote it, shows neither as sent nor, where they were not
 * sent, as they were before; only what proves a difference counts.
 */
export function replyDifferences(write: Write, shown: JsonObject): readonly ReplyDifference[] {
  const sent = notShownAsSent(sentBy(write), shown);
  if (Object.keys(sent).length === 0 && write.before === undefined) return [];
  const before = isJsonObject(write.before) ? inBodyShape(write.before) : {};
  // A service may show parts of an object that no write has, and so none takes out.
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
