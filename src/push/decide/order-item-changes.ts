import type { Json } from '../../base/json.ts';
import type { Assumptions } from '../../contract/assumptions.ts';
import type { OrderItem } from '../../contract/resources.ts';
import { orderItemStatuses } from '../../contract/states.ts';
import { carrierReader } from '../../input/cells/shipment.ts';
import type { OrderItemUpdateRecord } from '../../input/records/record-kinds.ts';
import { type OrderItemDetails, orderItemDetails } from '../compile/order-item-entry.ts';
import type { FieldChanges } from '../steps/outcome.ts';

/** What an update of an item would send besides its product, and what that changes. */
interface OrderItemChanges {
  readonly details: OrderItemDetails;
  readonly changes: FieldChanges;
}

/**
 * The fields of `record` that differ from what the service has of the item. Fields the record does not have are left
 * alone, and so are those inside a shipment: it is sent whole, because an update may replace it whole. Besides them
 * what `wholeItemUpdate` adds.
 */
export function orderItemChanges(
  record: OrderItemUpdateRecord,
  item: OrderItem,
  assumptions: Pick<Assumptions, 'defaultsOnUpdate'>,
): OrderItemChanges {
  const { productOriginId, ...has } = orderItemValues(item);
  const given = orderItemDetails(record);
  const wanted: OrderItemDetails =
    given.shipment === undefined ? given : { ...given, shipment: wholeShipment(given.shipment, item) };
  const fields = Object.keys(wanted) as (keyof typeof has)[];
  const changed = fields.filter((field) => !isSame(field, has[field], wanted[field]));
  const productChange =
    record.productOriginId !== undefined && record.productOriginId !== productOriginId
      ? { productOriginId: { from: productOriginId, to: record.productOriginId } }
      : {};
  return {
    details: wholeItemUpdate(
      Object.fromEntries(changed.map((field) => [field, wanted[field]])),
      item,
      assumptions,
    ),
    changes: {
      ...productChange,
      ...Object.fromEntries(changed.map((field) => [field, { from: has[field], to: wanted[field] as Json }])),
    },
  };
}

/** What the service has of an item, as an update names it; null where it has nothing. */
export function orderItemValues(item: OrderItem) {
  const { status, selectedOptions, paidPrice, product } = item;
  return {
    productOriginId: product?.originId ?? null,
    status: status ?? null,
    selectedOptions: (selectedOptions ?? []).map(({ name, value }) => ({
      name: name ?? null,
      value: value ?? null,
    })),
    paidPrice: paidPrice == null ? null : Number(paidPrice),
    shipment: shipmentOf(item),
  };
}

/**
 * `details` of an item; where an update puts the fields it leaves out back (assumption `defaultsOnUpdate`), with what
 * those are.
 */
export function wholeItemUpdate(
  details: OrderItemDetails,
  item: OrderItem,
  { defaultsOnUpdate }: Pick<Assumptions, 'defaultsOnUpdate'>,
): OrderItemDetails {
  return defaultsOnUpdate === 'apply' ? { ...everythingOf(item), ...details } : details;
}

/** What an update can send of an item, as the service has it. */
function everythingOf(item: OrderItem): OrderItemDetails {
  const status = orderItemStatuses.find((known) => known === item.status);
  const shipment = shipmentOf(item);
  const selectedOptions = item.selectedOptions?.map(({ name, value }) => ({
    name: name ?? '',
    value: value ?? '',
  }));
  return {
    ...(status === undefined ? {} : { status }),
    ...(selectedOptions === undefined ? {} : { selectedOptions }),
    ...(item.paidPrice == null ? {} : { paidPrice: Number(item.paidPrice) }),
    ...(Object.keys(shipment).length === 0 ? {} : { shipment }),
  };
}

/** The shipment as the service has it, without what it has no value for. */
function shipmentOf({ shipment }: OrderItem) {
  const { companyCode, trackingNumber, deliveredAt } = shipment ?? {};
  return {
    ...(companyCode == null ? {} : { companyCode }),
    ...(trackingNumber == null ? {} : { trackingNumber }),
    ...(deliveredAt == null ? {} : { deliveredAt }),
  };
}

/** What the service has with what is given. A code by which it knows the carrier that is meant stays as it is. */
function wholeShipment(given: Shipment, item: OrderItem): Shipment {
  const has = shipmentOf(item);
  const whole = { ...has, ...given };
  const isKnown = has.companyCode !== undefined && readCarrier(has.companyCode) === whole.companyCode;
  return isKnown ? { ...whole, companyCode: has.companyCode } : whole;
}

const readCarrier = carrierReader();

type Shipment = NonNullable<OrderItemDetails['shipment']>;

function isSame(field: keyof OrderItemDetails, has: unknown, wanted: unknown): boolean {
  if (field !== 'shipment') return JSON.stringify(has) === JSON.stringify(wanted);
  return JSON.stringify(comparableShipment(has)) === JSON.stringify(comparableShipment(wanted));
}

/** Two times are the same when they are the same instant, however they are written. */
function comparableShipment(shipment: unknown): unknown[] {
  const { companyCode, trackingNumber, deliveredAt } = shipment as Readonly<Record<string, string>>;
  const instant = deliveredAt === undefined ? undefined : Date.parse(deliveredAt);
  return [companyCode, trackingNumber, Number.isNaN(instant) ? deliveredAt : instant];
}
