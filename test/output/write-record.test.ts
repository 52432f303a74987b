import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { writeRecord } from '../../src/output/formats/write-record.ts';
import { productView } from '../../src/output/views/views.ts';
import { capturedStreams } from './captured-streams.ts';
import { hostileTexts, livingCharacters } from './hostile-text.ts';

async function written(record: JsonObject, options: Parameters<typeof writeRecord>[2] = {}, env = {}) {
  const streams = capturedStreams({ isOutputTerminal: true, env });
  await writeRecord(record, productView, options, streams);
  return streams.outputText();
}

const product: JsonObject = {
  id: '1',
  name: '머그컵 ☕',
  image: { url: null },
  categories: [
    { isPrimary: true, category: { id: '7', name: '주방' } },
    { isPrimary: false, category: null },
  ],
  tags: ['a', 'b'],
  empty: [],
  brand: null,
  text: 'first line\nsecond line',
};

describe('one record on a terminal', () => {
  it('is a line a field, nested ones below their name without those that have no value', async () => {
    expect(await written(product)).toBe(
      [
        'id     1',
        'name   머그컵 ☕',
        'image',
        'categories',
        '  - isPrimary  yes',
        '    category',
        '      id    7',
        '      name  주방',
        '  - isPrimary  no',
        'tags   ["a","b"]',
        'empty',
        'brand',
        'text   first line',
        '       second line',
        '',
      ].join('\n'),
    );
  });

  it('has its times in one form, and long values broken between words', async () => {
    const text = 'as good as the picture promised, and it came the next day';
    const record = { id: '2019-08-24T14:15:22Z', at: '2019-08-24T14:15:22Z', text };
    expect(await written(record, {}, { COLUMNS: '40' })).toBe(
      [
        'id    2019-08-24T14:15:22Z',
        'at    2019-08-24 23:15 +09:00',
        'text  as good as the picture promised,',
        '      and it came the next day',
        '',
      ].join('\n'),
    );
  });

  it('has the fields asked for alone, in their order', async () => {
    expect(await written(product, { fields: ['name', 'id'] })).toBe('name  머그컵 ☕\nid    1\n');
    await expect(written(product, { fields: ['nmae'] })).rejects.toThrow("a product has no field 'nmae'");
  });

  it('is what a list would print in every other format', async () => {
    expect(await written(product, { format: 'ids' })).toBe('1\n');
    expect(JSON.parse(await written(product, { format: 'ndjson' }))).toEqual(product);
  });

  it.each(Object.entries(hostileTexts))('keeps no text alive: %s', async (_, text) => {
    expect(livingCharacters(await written({ [text]: text, nested: { [text]: [{ [text]: text }] } }))).toEqual(
      [],
    );
  });
});
