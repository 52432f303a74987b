import { describe, expect, it } from 'vitest';
import { readDocument } from './document.ts';
import { shapeDisagreements } from './shapes.ts';

const document = readDocument();
const category = { id: '1', originId: 'a', name: 'A', isVisible: true, isReviewDisabled: false };
const page = { totalCount: 1, data: [category], pageInfo: { hasNextPage: false, endCursor: '1' } };

describe('a reply in the shape of the document', () => {
  it.each([
    [
      { ...category, extra: 1 },
      'reply has id originId name isVisible isReviewDisabled extra, expected id originId name isVisible isReviewDisabled',
    ],
    [{ ...category, isVisible: 'true' }, 'reply.isVisible is "true", expected a boolean'],
    [[category], 'reply is no object'],
  ])('is not %j', (body, disagreement) => {
    expect(shapeDisagreements(document, { kind: 'one', resource: 'Category' }, body)).toEqual([disagreement]);
  });

  it('is judged inside lists and objects too', () => {
    const { id: _, ...withoutId } = category;
    const body = {
      ...page,
      totalCount: 1.5,
      data: [withoutId],
      pageInfo: { endCursor: 1, hasNextPage: true },
    };
    expect(shapeDisagreements(document, { kind: 'page', resource: 'Category' }, body)).toEqual([
      'reply.totalCount is 1.5, expected a integer',
      'reply.data[] has originId name isVisible isReviewDisabled, expected id originId name isVisible isReviewDisabled',
      'reply.pageInfo has endCursor hasNextPage, expected hasNextPage endCursor',
      'reply.pageInfo.endCursor is 1, expected a string',
    ]);
  });
});
