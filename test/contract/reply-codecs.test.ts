import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { boolean, decimal, identifier, integer, number, text } from '../../src/contract/reply-codecs.ts';
import { isExact, writtenForm } from '../../src/contract/reply-forms.ts';
import { job, page, review } from '../../src/contract/resources.ts';

const leaves = { identifier, text, number, integer, boolean, decimal };

/** Values of JSON, with their notation. */
const values = [
  ...['null', '""', '" "', '"a"', '"7"', '"7.50"', '"-0.0"', '"007"', '"true"', '"Y"', '"1e3"', '"NaN"'],
  ...['0', '-0', '7', '4.5', '1e21', '9007199254740993', '1e999', 'true', 'false', '[]', '["a"]', '{}'],
].map((json) => [json, JSON.parse(json) as unknown] as const);

const isTheSame = (one: unknown, other: unknown) => Object.is(one, other);

describe('a value that is exact', () => {
  it.each(Object.entries(leaves))('as %s is what decoding makes of it', (_, leaf) => {
    const misjudged = [...values, ['missing', undefined] as const].filter(([, value]) => {
      const read = z.safeDecode(leaf as z.ZodType, value);
      return isExact(leaf, value) && !(read.success && isTheSame(read.data, value));
    });
    expect(misjudged).toEqual([]);
  });

  it('is found as such in whole records, so that they need no copy', () => {
    const record = { jobId: 'j', status: 'PENDING', endedAt: null, unheardOf: [1] };
    expect(isExact(z.array(job()), [record, { jobId: 'k' }])).toBe(true);
    const nested = {
      id: 'r',
      rating: 4.5,
      order: { items: [{ paidPrice: '6300' }] },
      images: [{ urls: null }],
    };
    expect(isExact(page(review)(), { totalCount: 1, data: [nested], pageInfo: { hasNextPage: false } })).toBe(
      true,
    );
  });

  it.each([
    ['a number for a text', [{ jobId: 'j', status: 7 }]],
    ['a number for an id', [{ jobId: 7 }]],
    ['no id', [{ status: 'PENDING' }]],
    ['something else than a record', ['j']],
    ['something else than a list', { jobId: 'j' }],
  ])('is no list of jobs with %s', (_, jobs) => {
    expect(isExact(z.array(job()), jobs)).toBe(false);
  });
});

it.each(Object.entries(leaves))(
  'the written form of %s takes what the codec reads, and no value that it reads as empty',
  (_, leaf) => {
    const written = writtenForm(z.looseObject({ leaf }));
    const misjudged = values.filter(([, value]) => {
      const read = z.safeDecode(leaf as z.ZodType, value);
      const isRead = read.success && (read.data !== null || value === null);
      return written.safeParse({ leaf: value }).success !== isRead;
    });
    expect(misjudged).toEqual([]);
  },
);

it.each(['1e999', '-1e999', '"1e999"', '"x"', '""', 'true'])(
  'a number that is %s is read as null',
  (json) => {
    expect(z.decode(number, JSON.parse(json) as string)).toBeNull();
  },
);
