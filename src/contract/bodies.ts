import * as z from 'zod';
import { lazy } from '../base/lazy.ts';
import { bulkEntriesMaximum } from './limits.ts';
import { orderItemStatuses, rewardStatuses } from './states.ts';

/*
 * Request bodies: closed objects with exactly the documented fields. The defaults are the service's: the sandbox
 * applies them on decoding, and the client sends only the fields it was given. Each schema is built on first use.
 */

const originId = lazy(() => z.string().min(1).describe("the client's own id"));
const productOriginId = lazy(() => z.string().min(1).describe("the client's own id of the product"));

/** CreateProductBodyCategory (API 2: not shown; assumed from the response shape). */
const productCategory = lazy(() =>
  z.strictObject({ originId: originId(), isPrimary: z.boolean().optional() }),
);
/** SelectedOptionInput (not shown; assumed from the response shape). */
const selectedOption = lazy(() => z.strictObject({ name: z.string(), value: z.string() }));
/** CreateShipmentBody (not shown; assumed from the response shape). */
const shipment = lazy(() =>
  z.strictObject({
    companyCode: z.string().optional().describe('code of the carrier, or self'),
    trackingNumber: z.string().optional().describe('tracking number'),
    deliveredAt: z.string().optional().describe('time of delivery'),
  }),
);
/** OrderBuyerInput (not shown; assumed from the response shape). */
const buyer = lazy(() =>
  z.strictObject({
    name: z.string().optional().describe('name of the buyer'),
    phone: z.string().optional().describe('phone of the buyer'),
    email: z.string().optional().describe('e-mail address of the buyer'),
  }),
);
/** OrderRecipientInput (not shown; assumed from the response shape). */
const recipient = lazy(() =>
  z.strictObject({
    name: z.string().optional().describe('name of the person who receives notifications'),
    phone: z.string().optional().describe('phone of the person who receives notifications'),
  }),
);

const categories = lazy(() =>
  z.array(productCategory()).optional().describe("the client's own ids of its categories"),
);
const imageUrl = lazy(() => z.string().optional().describe('address of the image'));
const groupId = lazy(() => z.string().optional().describe("the service's id of its product group"));
const isAlimtalkEnabled = lazy(() => z.boolean().optional().describe('whether chat messages are enabled'));
const isReviewDisabled = lazy(() => z.boolean().optional().describe('whether reviews cannot be written'));

const dateTime = lazy(() => z.iso.datetime({ offset: true }));
const orderItemStatus = lazy(() => z.enum(orderItemStatuses));

const orderItemFields = lazy(() => ({
  status: orderItemStatus().optional().describe('status'),
  selectedOptions: z.array(selectedOption()).optional().describe('the chosen options'),
  paidPrice: z.number().optional().describe('final price, without shipping, coupons and points'),
  shipment: shipment().optional(),
}));

/** API 4.1. */
export const createProductBody = lazy(() =>
  z.strictObject({
    originId: originId(),
    name: z.string().describe('name of the product'),
    imageUrl: imageUrl(),
    categories: categories(),
    groupId: groupId(),
    groupName: z.string().optional().describe('name of its product group, created if missing'),
    isAlimtalkEnabled: isAlimtalkEnabled().default(true),
    isReviewDisabled: isReviewDisabled().default(false),
  }),
);

/** API 4.4. The printed defaults are described, not applied: see the assumption `defaultsOnUpdate`. */
export const updateProductBody = lazy(() =>
  z.strictObject({
    name: z.string().optional().describe('name of the product'),
    imageUrl: imageUrl(),
    categories: categories(),
    groupId: groupId(),
    isAlimtalkEnabled: isAlimtalkEnabled().meta({ default: true }),
    isReviewDisabled: isReviewDisabled().meta({ default: false }),
  }),
);

/** API 4.7. */
export const createCategoryBody = lazy(() =>
  z.strictObject({
    originId: originId(),
    name: z.string().describe('name of the category'),
    isVisible: z.boolean().optional().describe('whether consumers see it').default(true),
    position: z.int().optional().describe('position in the display order').default(0),
    parentOriginId: z.string().optional().describe("the client's own id of the parent category"),
    isReviewDisabled: isReviewDisabled().default(false),
  }),
);

/** API 4.8. The document names no maximum: see the assumption `categoryBulkMaximum`. */
export const bulkCreateCategoriesBody = lazy(() =>
  z.array(z.strictObject({ originId: originId(), name: z.string() })),
);

/** CreateOrderBodyOrderItem (API 2: not shown; assumed to be the body of API 4.11). */
const orderItem = lazy(() =>
  z.strictObject({ originId: originId(), productOriginId: productOriginId(), ...orderItemFields() }),
);

/** API 4.10. */
export const updateOrderBody = lazy(() =>
  z.strictObject({
    memberOriginId: z.string().optional().describe("the client's own id of the member"),
    orderedAt: dateTime().optional().describe('time of the order, such as 2019-08-24T14:15:22Z'),
    buyer: buyer().optional(),
    recipient: recipient().optional(),
    alimtalkTemplateCode: z.string().nullable().optional().describe('chatbot template code'),
    items: z.array(orderItem()).optional().describe('items of the order'),
  }),
);

/** API 4.11. */
export const addOrderItemBody = orderItem;

/** API 4.13. */
export const updateOrderItemBody = lazy(() =>
  z.strictObject({ productOriginId: productOriginId(), ...orderItemFields() }),
);

/** API 4.14. */
export const bulkCreateOrderItemsBody = lazy(() =>
  z
    .array(
      z.strictObject({
        orderOriginId: z.string().min(1),
        originId: originId(),
        productOriginId: z.string().min(1),
      }),
    )
    .max(bulkEntriesMaximum),
);

/** The same with the other fields of an order item (API 4.11), under the assumption `bulkExtraFields`. */
export const bulkCreateOrderItemsExtraBody = lazy(() =>
  z.array(orderItem().extend({ orderOriginId: z.string().min(1) })).max(bulkEntriesMaximum),
);

/** API 4.17. */
export const updateReviewBody = lazy(() =>
  z.strictObject({
    isVisible: z.boolean().optional().describe('whether consumers see it'),
  }),
);

/** API 4.19. */
export const updateRewardBody = lazy(() =>
  z.strictObject({
    status: z.enum(rewardStatuses).optional().describe('CANCELLED: could not pay; FAILURE: failed'),
  }),
);

const orderInBulk = lazy(() =>
  z.strictObject({
    originId: originId(),
    orderedAt: dateTime(),
    memberOriginId: z.string().optional(),
    alimtalkTemplateCode: z.string().nullable().optional(),
    buyer: buyer().optional(),
    recipient: recipient().optional(),
    items: z.array(z.strictObject({ originId: originId(), productOriginId: z.string().min(1) })),
  }),
);

/** The opt-in creation of whole orders (assumption `createOrders`). */
export const createOrdersBody = lazy(() => z.array(orderInBulk()).max(bulkEntriesMaximum));

/** The same with the other fields of the items (assumption `bulkExtraFields`). */
export const createOrdersExtraBody = lazy(() =>
  z.array(orderInBulk().extend({ items: z.array(orderItem()) })).max(bulkEntriesMaximum),
);
