import { isJsonObject, type Json } from '../../base/json.ts';
import { updateOrderItemBody } from '../../contract/bodies.ts';
import type { OrderItem } from '../../contract/resources.ts';
import { carrierReader } from '../../input/cells/shipment.ts';
import type { OrderItemDetails } from '../compile/order-item-entry.ts';
import type { Field, Fields } from './field.ts';

type Name = keyof ReturnType<typeof updateOrderItemBody>['shape'];

/** What an update of an order item can write (API 4.13); it names the product in any case. */
export const itemFields: Fields<OrderItem> = [
  field('productOriginId', ({ product }) => product?.originId),
  field('status', ({ status }) => status),
  {
    ...field('selectedOptions', ({ selectedOptions }) =>
      (selectedOptions ?? []).map(({ name, value }) => ({ name: name ?? null, value: value ?? null })),
    ),
    write: (value) => written('selectedOptions', Array.isArray(value) ? value.map(withText) : value),
    isKept: ({ selectedOptions }) => selectedOptions != null,
  },
  field('paidPrice', ({ paidPrice }) => (paidPrice == null ? null : Number(paidPrice))),
  { ...field('shipment', shipmentOf), isKept: (item) => Object.keys(shipmentOf(item)).length > 0 },
];

function field(name: Name, read: (item: OrderItem) => Json | undefined): Field<OrderItem> {
  return { name, read: (item) => read(item) ?? null, write: (value) => written(name, value) };
}

function written(name: Name, value: Json): Json | undefined {
  return updateOrderItemBody().shape[name].safeParse(value).data;
}

function withText(option: Json): Json {
  if (!isJsonObject(option)) return option;
  return Object.fromEntries(Object.entries(option).map(([name, part]) => [name, part ?? '']));
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

const readCarrier = carrierReader();

/**
 * A shipment to be sent: what the service has with what is given, because an update may replace it whole. A code by
 * which the service knows the carrier that is meant stays as it is.
 */
export function wholeShipment(given: NonNullable<OrderItemDetails['shipment']>, item: OrderItem) {
  const has = shipmentOf(item);
  const whole = { ...has, ...given };
  const isKnown = has.companyCode !== undefined && readCarrier(has.companyCode) === whole.companyCode;
  return isKnown ? { ...whole, companyCode: has.companyCode } : whole;
}
