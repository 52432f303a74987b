import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { updateOrderItemBody, updateProductBody } from '../../contract/bodies.ts';
import type { OrderItem, Product } from '../../contract/resources.ts';
import { carrierReader } from '../../input/cells/shipment.ts';
import { readImageUrl } from '../../input/cells/text.ts';
import type { OrderItemDetails } from '../compile/order-item-entry.ts';
import type { Field, Fields } from './field.ts';

const ofProduct = fieldsIn<keyof ReturnType<typeof updateProductBody>['shape']>(updateProductBody);
const ofItem = fieldsIn<keyof ReturnType<typeof updateOrderItemBody>['shape']>(updateOrderItemBody);

/** The fields that an update of a product can write (API 4.4). */
export const productFields: Fields<Product> = [
  ofProduct('name', ({ name }) => name),
  ofProduct('imageUrl', ({ image }) => image?.url, {
    write: (value) => (typeof readImageUrl(value) === 'string' ? value : undefined),
    isCopied: true,
    isKept: () => false,
  }),
  ofProduct(
    'categories',
    ({ categories }) =>
      categories?.map(({ category, isPrimary }) => ({
        originId: category?.originId ?? null,
        isPrimary: isPrimary ?? null,
      })),
    { entryOf: withoutNull },
  ),
  ofProduct('groupId', ({ group }) => group?.id),
  ofProduct('isAlimtalkEnabled', ({ isAlimtalkEnabled }) => isAlimtalkEnabled),
  ofProduct('isReviewDisabled', ({ isReviewDisabled }) => isReviewDisabled),
];

/** The fields that an update of an order item can write (API 4.13). It always names the product. */
export const itemFields: Fields<OrderItem> = [
  ofItem('productOriginId', ({ product }) => product?.originId),
  ofItem('status', ({ status }) => status),
  ofItem(
    'selectedOptions',
    ({ selectedOptions }) =>
      (selectedOptions ?? []).map(({ name, value }) => ({ name: name ?? null, value: value ?? null })),
    { entryOf: withText, isKept: ({ selectedOptions }) => selectedOptions != null },
  ),
  ofItem('paidPrice', ({ paidPrice }) => (paidPrice == null ? null : Number(paidPrice))),
  ofItem('shipment', shipmentOf, { isKept: (item) => Object.keys(shipmentOf(item)).length > 0 }),
];

interface Body<Name extends string> {
  readonly shape: Readonly<Record<Name, { safeParse(value: unknown): { readonly data?: Json | undefined } }>>;
}

interface Traits<S> extends Partial<Field<S>> {
  /** Converts an entry of a list to the form of an update. */
  readonly entryOf?: (shown: JsonObject) => JsonObject;
}

/** Creates fields of a body. A value is written if the body accepts it. */
function fieldsIn<Name extends string>(body: () => Body<Name>) {
  return <S>(
    name: Name,
    read: (shown: S) => Json | undefined,
    { entryOf = (entry) => entry, ...traits }: Traits<S> = {},
  ): Field<S> => ({
    name,
    read: (shown) => read(shown) ?? null,
    write: (value) => {
      const entries = (list: readonly Json[]) =>
        list.map((entry) => (isJsonObject(entry) ? entryOf(entry) : entry));
      return body().shape[name].safeParse(Array.isArray(value) ? entries(value) : value).data;
    },
    ...traits,
  });
}

function withText(option: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(option).map(([name, part]) => [name, part ?? '']));
}

function withoutNull(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, part]) => part != null));
}

/** The shipment at the service, without empty values. */
function shipmentOf({ shipment }: Pick<OrderItem, 'shipment'>): JsonObject {
  const { companyCode, trackingNumber, deliveredAt } = shipment ?? {};
  return withoutNull({ companyCode, trackingNumber, deliveredAt });
}

const readCarrier = carrierReader();

/**
 * The shipment to send: the given values on top of those at the service, because an update may replace the whole
 * shipment. Keeps the service's own code for the same carrier.
 */
export function wholeShipment(
  given: NonNullable<OrderItemDetails['shipment']>,
  item: Pick<OrderItem, 'shipment'>,
): JsonObject {
  const has = shipmentOf(item);
  const whole = { ...has, ...given } as JsonObject;
  const { companyCode } = has;
  const isKnown = companyCode !== undefined && readCarrier(companyCode) === whole['companyCode'];
  return isKnown ? { ...whole, companyCode } : whole;
}
