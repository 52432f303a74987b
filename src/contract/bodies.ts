import * as z from 'zod';
import { bulkEntriesMaximum } from './limits.ts';
import { orderItemStatuses, rewardStatuses } from './states.ts';

/*
 * Request bodies: closed objects, exactly the fields the document takes. Defaults are the service's: the sandbox applies
 * them when it decodes, the client never sends a field it was not given.
 */

const originId = z.string().min(1);

/** CreateProductBodyCategory (API 2: not shown; assumed from the response shape). */
const productCategory = z.strictObject({ originId, isPrimary: z.boolean().optional() });
/** SelectedOptionInput (not shown; assumed from the response shape). */
const selectedOption = z.strictObject({ name: z.string(), value: z.string() });
/** CreateShipmentBody (not shown; assumed from the response shape). */
const shipment = z.strictObject({
  companyCode: z.string().optional(),
  trackingNumber: z.string().optional(),
  deliveredAt: z.string().optional(),
});
/** OrderBuyerInput (not shown; assumed from the response shape). */
const buyer = z.strictObject({
  name: z.string().optional(),
  phone: z.string().optional(),
  email: z.string().optional(),
});
/** OrderRecipientInput (not shown; assumed from the response shape). */
const recipient = z.strictObject({ name: z.string().optional(), phone: z.string().optional() });

const dateTime = z.iso.datetime({ offset: true });
const orderItemStatus = z.enum(orderItemStatuses);

const orderItemFields = {
  status: orderItemStatus.optional(),
  selectedOptions: z.array(selectedOption).optional(),
  paidPrice: z.number().optional(),
  shipment: shipment.optional(),
};

/** API 4.1. */
export const createProductBody = z.strictObject({
  originId,
  name: z.string(),
  imageUrl: z.string().optional(),
  categories: z.array(productCategory).optional(),
  groupId: z.string().optional(),
  groupName: z.string().optional(),
  isAlimtalkEnabled: z.boolean().optional().default(true),
  isReviewDisabled: z.boolean().optional().default(false),
});

/** API 4.4. The printed defaults are described, not applied: see the assumption `defaultsOnUpdate`. */
export const updateProductBody = z.strictObject({
  name: z.string().optional(),
  imageUrl: z.string().optional(),
  categories: z.array(productCategory).optional(),
  groupId: z.string().optional(),
  isAlimtalkEnabled: z.boolean().optional().meta({ default: true }),
  isReviewDisabled: z.boolean().optional().meta({ default: false }),
});

/** API 4.7. */
export const createCategoryBody = z.strictObject({
  originId,
  name: z.string(),
  isVisible: z.boolean().optional().default(true),
  position: z.int().optional().default(0),
  parentOriginId: z.string().optional(),
  isReviewDisabled: z.boolean().optional().default(false),
});

/** API 4.8. The document names no maximum: see the assumption `categoryBulkMaximum`. */
export const bulkCreateCategoriesBody = z.array(z.strictObject({ originId, name: z.string() }));

/** CreateOrderBodyOrderItem (API 2: not shown; assumed to be the body of API 4.11). */
const orderItem = z.strictObject({ originId, productOriginId: z.string().min(1), ...orderItemFields });

/** API 4.10. */
export const updateOrderBody = z.strictObject({
  memberOriginId: z.string().optional(),
  orderedAt: dateTime.optional(),
  buyer: buyer.optional(),
  recipient: recipient.optional(),
  alimtalkTemplateCode: z.string().nullable().optional(),
  items: z.array(orderItem).optional(),
});

/** API 4.11. */
export const addOrderItemBody = orderItem;

/** API 4.13. */
export const updateOrderItemBody = z.strictObject({ productOriginId: z.string().min(1), ...orderItemFields });

/** API 4.14. */
export const bulkCreateOrderItemsBody = z
  .array(z.strictObject({ orderOriginId: z.string().min(1), originId, productOriginId: z.string().min(1) }))
  .max(bulkEntriesMaximum);

/**
 * The same with the other fields of an order item (those of API 4.11), for a service that takes more than the document shows
 * (assumption `bulkExtraFields`).
 */
export const bulkCreateOrderItemsExtraBody = z
  .array(orderItem.extend({ orderOriginId: z.string().min(1) }))
  .max(bulkEntriesMaximum);

/** API 4.17. */
export const updateReviewBody = z.strictObject({ isVisible: z.boolean().optional() });

/** API 4.19. */
export const updateRewardBody = z.strictObject({ status: z.enum(rewardStatuses).optional() });

const orderInBulk = z.strictObject({
  originId,
  orderedAt: dateTime,
  memberOriginId: z.string().optional(),
  alimtalkTemplateCode: z.string().nullable().optional(),
  buyer: buyer.optional(),
  recipient: recipient.optional(),
  items: z.array(z.strictObject({ originId, productOriginId: z.string().min(1) })),
});

/** The opt-in creation of whole orders (assumption `createOrders`). */
export const createOrdersBody = z.array(orderInBulk).max(bulkEntriesMaximum);

/** The same with the other fields of their items (assumption `bulkExtraFields`). */
export const createOrdersExtraBody = z
  .array(orderInBulk.extend({ items: z.array(orderItem) }))
  .max(bulkEntriesMaximum);
