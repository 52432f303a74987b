import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Assumptions } from '../../contract/assumptions.ts';
import { updateOrderItemBody } from '../../contract/bodies.ts';
import type { OrderItem } from '../../contract/resources.ts';
import { carrierReader } from '../../input/cells/shipment.ts';
import type { JournalEntry } from '../../store/journal/push-journal.ts';
import type { UpdatedRecord } from '../../store/runs/undo-log.ts';
import { contentHash } from '../compile/content-hash.ts';
import type { ItemEntry } from '../decide/decide-item.ts';
import { orderItemValues, wholeItemUpdate } from '../decide/order-item-changes.ts';
import {
  cannotUndo,
  type FieldValues,
  stateBy,
  undoneFields,
  undoOutcome,
  unwritable,
  writtenValues,
} from './undo-fields.ts';

/** What becomes of an item that a run changed. */
export interface UndoItemEntry extends ItemEntry {
  /**
   * What the journal is to know of it where it no longer has all that the run sent, or will not once the step is
   * carried out.
   */
  readonly forgotten?: JournalEntry;
}

/** Decides what is written back to an item that the service shows. */
export function undoOrderItem(
  record: UpdatedRecord,
  shown: OrderItem,
  assumptions: Assumptions,
): UndoItemEntry {
  const { id, orderId, changes: sent } = record;
  const has = orderItemValues(shown);
  const fields = undoneFields(sent, has, { stateOf: stateBy(isSame), obstacleTo });
  const outcome = undoOutcome(record, fields);
  const isUndone = fields.leftAlone.size < Object.keys(sent).length;
  const step = isUndone ? { outcome, forgotten: forgottenUpdate(id, has.productOriginId) } : { outcome };
  if (Object.keys(fields.changes).length === 0) return step;
  const changes = readBody({ productOriginId: has.productOriginId, ...writtenValues(fields.changes) });
  if (changes === undefined) return { outcome: cannotUndo(record, noProduct) };
  const { productOriginId, ...details } = changes;
  const body = { productOriginId, ...wholeItemUpdate(details, shown, assumptions) };
  return { ...step, write: { id, body, hash: contentHash(body) }, before: shown, orderId };
}

/** No update has the content of this one, since none is sent that says nothing. */
function forgottenUpdate(id: string, productOriginId: string | null): JournalEntry {
  const entry = { originId: id, contentHash: contentHash({}) };
  return productOriginId === null ? entry : { ...entry, productOriginId };
}

const noProduct = 'an update needs productOriginId, and the service does not show the product of this item';

function obstacleTo(field: string, { from, now }: FieldValues): string | undefined {
  if (readBody({ productOriginId: 'any', [field]: from }) === undefined) return unwritable(from);
  // A shipment alone is an object.
  if (!isJsonObject(from) || !isJsonObject(now)) return undefined;
  const added = Object.keys(now).filter((name) => from[name] === undefined);
  return added.length === 0 ? undefined : `an update cannot take ${added.join(' and ')} out of a shipment`;
}

/** The fields as an update takes them (API 4.13); undefined where it does not take one of them. */
function readBody(fields: JsonObject) {
  return updateOrderItemBody().safeParse(fields).data;
}

/** Notations of one value are the same. */
function isSame(field: string, one: Json, other: Json): boolean {
  const comparable =
    { selectedOptions: sorted, shipment: comparableShipment }[field] ?? ((value: Json) => value);
  return JSON.stringify(comparable(one)) === JSON.stringify(comparable(other));
}

function sorted(value: Json): Json {
  return Array.isArray(value) ? value.map((option: Json) => JSON.stringify(option)).toSorted() : value;
}

const readCarrier = carrierReader();

function comparableShipment(value: Json): Json {
  if (!isJsonObject(value)) return value;
  const { companyCode = null, trackingNumber = null, deliveredAt = null } = value;
  const instant = typeof deliveredAt === 'string' ? Date.parse(deliveredAt) : Number.NaN;
  const carrier = readCarrier(companyCode);
  return [
    typeof carrier === 'string' ? carrier : companyCode,
    trackingNumber,
    Number.isNaN(instant) ? deliveredAt : instant,
  ];
}
