import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contract } from './contract.ts';
import { disagreements } from './disagreements.ts';
import { parseDocument } from './document.ts';

const markdown = readFileSync(new URL('../../fixtures/api.md', import.meta.url), 'utf8');

describe('the API document', () => {
  it('agrees with the contract in every operation, parameter, field, default, state and limit', () => {
    expect(disagreements(contract, parseDocument(markdown))).toEqual([]);
  });

  it.each([
    [
      '| 6 | PUT |',
      '| 6 | POST |',
      '6: POST /admin/v2/product-group/{productGroupId}/products/{productId}, add product to group',
    ],
    [
      '`first` (integer, default 30, maximum 100)',
      '`first` (integer, default 30, maximum 50)',
      '2 query first: integer, default 30, maximum 50',
    ],
    [
      '| sort | string | ID, NAME, REVIEW_COUNT; default ID |',
      '| sort | string | ID, NAME; default NAME |',
      '2 query sort: one of ID NAME, default NAME',
    ],
    ['`name` (string filter)', '`name` (string filter, required)', '5 query name: string, required'],
    ['position (integer, default 0)', 'position (number, default 0)', '7 body position: number, default 0'],
    [
      'send null when no template was assigned',
      'empty when no template was assigned',
      '10 body alimtalkTemplateCode: string',
    ],
    [
      'array of entries, at most 100 per request',
      'array of entries, at most 50 per request',
      '14 body: array of at most 50',
    ],
    ['| ratings | array | ratings |', '| ratings | string | ratings |', '15 query ratings: string'],
    [
      'optional). Response: Reward.',
      'required). Response: Reward.',
      '19 body status: one of QUEUED SENDING SUCCESS FAILURE CANCELLED INVALID UNAPPROVED, required',
    ],
    [
      '`{ question: { text }, answer: { text } }`',
      '`{ question: { body }, answer: { text } }`',
      '15 reply.data[].questionAnswers[].question.body: string',
    ],
    [
      '| alimtalkTemplateCode | string or null |',
      '| alimtalkTemplateCode | boolean |',
      'Order.alimtalkTemplateCode: boolean',
    ],
    ['hasNextPage: boolean', 'hasNextPage: string', '2 reply.pageInfo.hasNextPage: string'],
    [
      'Values: DELIVERED, RETURN, CANCEL',
      'Values: DELIVERED, CANCEL',
      'state OrderItemStatus: DELIVERED CANCEL FAIL EXCHANGE',
    ],
    ['one observed value: CHATBOT', 'one observed value: EMAIL', 'observed Review.uploadFrom: EMAIL'],
    ['| 14 days |', '| 30 days |', 'limit webhook hint log retention: 30'],
  ])('would contradict the contract if it were changed: %s', (written, changed, line) => {
    expect(markdown.split(written)).toHaveLength(2);
    const document = parseDocument(markdown.replace(written, changed));
    expect(disagreements(contract, document)).toContain(`only in the document: ${line}`);
  });
});
