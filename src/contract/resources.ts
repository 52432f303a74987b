import * as z from 'zod';
import { lazy, madeOnUse } from '../base/lazy.ts';
import { boolean, decimal, identifier, integer, listOf, nested, number, text } from './reply-codecs.ts';

/*
 * The resources of API 2 in replies, with fields in the document's order. Only a record's own id is required; ids of
 * nested records may be null or missing, like any other field. Each schema is built on first use, because a call needs
 * only one of them.
 */

const categoryFields = {
  id: identifier,
  originId: text,
  name: text,
  isVisible: boolean,
  isReviewDisabled: boolean,
};
export const category = lazy(() => z.looseObject(categoryFields));

const productFields = lazy(() => ({
  id: identifier,
  originId: text,
  name: text,
  image: nested({ url: text }),
  url: text,
  categories: listOf(
    z.looseObject({ isPrimary: boolean, category: nested({ ...categoryFields, id: text }) }),
  ),
  group: nested({ id: text }),
  brand: nested({ id: text, originId: text, name: text }),
  isAlimtalkEnabled: boolean,
  reviewCount: integer,
  reviewRatingAverage: number,
  directReviewCount: integer,
  directReviewRatingAverage: number,
  isReviewDisabled: boolean,
}));
export const product = lazy(() => z.looseObject(productFields()));

export const productGroup = lazy(() =>
  z.looseObject({
    id: identifier,
    name: text,
    image: nested({ url: text }),
    productCount: integer,
    reviewCount: integer,
    reviewRatingAverage: number,
    createdAt: text,
    updatedAt: text,
  }),
);

const nestedProduct = lazy(() => nested({ ...productFields(), id: text }));

const orderItemFields = lazy(() => ({
  id: identifier,
  originId: text,
  status: text,
  product: nestedProduct(),
  selectedOptions: listOf(z.looseObject({ name: text, value: text })),
  paidPrice: decimal,
  shipment: nested({ companyCode: text, trackingNumber: text, deliveredAt: text }),
}));
export const orderItem = lazy(() => z.looseObject(orderItemFields()));

const nestedOrderItemFields = lazy(() => ({ ...orderItemFields(), id: text }));

const orderFields = lazy(() => ({
  id: identifier,
  originId: text,
  orderedAt: text,
  memberOriginId: text,
  alimtalkTemplateCode: text,
  buyer: nested({ name: text, phone: text, email: text }),
  recipient: nested({ name: text, phone: text }),
  items: listOf(z.looseObject(nestedOrderItemFields())),
}));
export const order = lazy(() => z.looseObject(orderFields()));

const media = lazy(() => listOf(z.looseObject({ urls: nested({ thumbnail: text, large: text }) })));

export const review = lazy(() =>
  z.looseObject({
    id: identifier,
    originId: text,
    userNickname: text,
    title: text,
    text: text,
    rating: number,
    uploadFrom: text,
    videos: media(),
    images: media(),
    product: nestedProduct(),
    order: nested({ ...orderFields(), id: text }),
    orderItem: nested(nestedOrderItemFields()),
    questionAnswers: listOf(
      z.looseObject({ question: nested({ text: text }), answer: nested({ text: text }) }),
    ),
    isVisible: boolean,
    isBlocked: boolean,
    blockReason: text,
    helpfulCount: integer,
    reportStatus: text,
    createdAt: text,
    updatedAt: text,
  }),
);

export const reward = lazy(() =>
  z.looseObject({
    id: identifier,
    amount: decimal,
    reviewCategory: text,
    status: text,
    review: nested({ id: text, createdAt: text, updatedAt: text }),
    order: nested({ id: text, originId: text, memberOriginId: text }),
    orderItem: nested({ id: text, originId: text }),
    createdAt: text,
  }),
);

export const job = lazy(() =>
  z.looseObject({
    jobId: identifier,
    status: text,
    entryOriginId: text,
    successObjectId: text,
    failureReason: text,
    createdAt: text,
    startedAt: text,
    endedAt: text,
  }),
);

/** All resources by their headings in the document (API 2). */
export const resources = madeOnUse({
  Product: product,
  Category: category,
  'Product group': productGroup,
  Order: order,
  OrderItem: orderItem,
  Review: review,
  Reward: reward,
  Job: job,
});

/** The list envelope (API 2). */
export const page = <T extends z.ZodType>(resource: () => T) =>
  lazy(() =>
    z.looseObject({
      totalCount: integer,
      data: z.array(resource()),
      pageInfo: nested({ hasNextPage: boolean, endCursor: text }),
    }),
  );

export type Product = z.output<ReturnType<typeof product>>;
export type Order = z.output<ReturnType<typeof order>>;
export type OrderItem = z.output<ReturnType<typeof orderItem>>;
export type Job = z.output<ReturnType<typeof job>>;
export type Reward = z.output<ReturnType<typeof reward>>;
