import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { outputFormats } from '../../src/output/formats/formats.ts';
import { type OutputOptions, writeRecords } from '../../src/output/formats/records.ts';
import type { View } from '../../src/output/views/view.ts';
import { type CaptureOptions, capturedStreams } from './captured-streams.ts';
import { hostileTexts, livingCharacters } from './hostile-text.ts';
import { batchesOf } from './sources.ts';

const view: View = {
  noun: 'review',
  id: 'id',
  csvColumns: ['id', 'rating', 'text', 'images', 'product.id', 'product.group.id', 'isVisible', 'createdAt'],
  columns: [
    { header: 'id', path: 'id', kind: 'word' },
    { header: 'rating', path: 'rating', kind: 'number' },
    { header: 'text', path: 'text', kind: 'text', width: 6 },
    { header: 'visible', path: 'isVisible', kind: 'boolean' },
    { header: 'date', path: 'createdAt', kind: 'date' },
  ],
};

const first = {
  id: 'r1',
  rating: 5,
  text: '좋아요',
  images: [{ urls: { large: 'a' } }],
  product: { id: 'p1', group: { id: 'g1' }, extra: 1 },
  isVisible: true,
  createdAt: '2019-08-24T14:15:22Z',
  unknownField: { kept: null },
};
const second = { id: 'r2', rating: 10, text: 'so, "fine"\n', product: null, isVisible: false };

async function written(batches: JsonObject[][], options: OutputOptions, capture: CaptureOptions = {}) {
  const streams = capturedStreams(capture);
  const result = await writeRecords(batchesOf(...batches), view, options, streams);
  expect(result).toMatchObject({ written: batches.flat().length, isCut: false });
  expect(streams.errorText()).toBe('');
  return streams.outputText();
}

/** The output so far when the source is asked for the batch after each one. */
async function shownAfterEach(batches: readonly (readonly JsonObject[])[], options: OutputOptions) {
  const streams = capturedStreams();
  const shown: string[] = [];
  const source = (async function* () {
    for (const batch of batches) {
      yield batch;
      shown.push(streams.outputText());
    }
  })();
  await writeRecords(source, view, options, streams);
  return shown;
}

/** Without our only escape sequence, the bold header. */
const terminal = { isOutputTerminal: true, env: { NO_COLOR: '1' } };

describe.each([
  ['a terminal', terminal],
  ['a pipe', {}],
])('on %s', (_where, capture) => {
  const isTerminal = capture === terminal;

  test('ndjson is each record as it was received', async () => {
    const text = await written([[first], [second]], { format: 'ndjson' }, capture);
    expect(text).toBe(`${JSON.stringify(first)}\n${JSON.stringify(second)}\n`);
  });

  test('json is one array', async () => {
    const text = await written([[], [first], [second]], { format: 'json' }, capture);
    expect(text).toBe(`[\n${JSON.stringify(first)},\n${JSON.stringify(second)}\n]\n`);
  });

  test('csv has every column of the document', async () => {
    expect(await written([[first], [second]], { format: 'csv' }, capture)).toBe(
      [
        'id,rating,text,images,product.id,product.group.id,isVisible,createdAt',
        'r1,5,좋아요,"[{""urls"":{""large"":""a""}}]",p1,g1,true,2019-08-24T14:15:22Z',
        `r2,10,"so, ""fine""${isTerminal ? '\\n' : '\n'}",,,,false,`,
        '',
      ].join('\n'),
    );
  });

  test('ids are one a line, and a record without one is passed over', async () => {
    expect(await written([[first, { rating: 1 }], [second]], { format: 'ids' }, capture)).toBe('r1\nr2\n');
  });

  test('an id with line breaks stays one line', async () => {
    const text = await written([[{ id: 'r1\r\nr2' }, { id: 'r3' }]], { format: 'ids' }, capture);
    expect(text).toBe('r1\\r\\nr2\nr3\n');
  });

  test('count is a bare integer', async () => {
    expect(await written([[first], [second]], { format: 'count' }, capture)).toBe('2\n');
  });

  test('none writes nothing', async () => {
    expect(await written([[first], [second]], { format: 'none' }, capture)).toBe('');
  });

  test('a table has its header once and one line for each record', async () => {
    expect(await written([[first], [second]], { format: 'table' }, capture)).toBe(
      [
        'ID  RATING  TEXT        VISIBLE  DATE',
        'r1       5  좋아요      yes      2019-08-24 23:15 +09:00',
        'r2      10  so, "fine"  no',
        '',
      ].join('\n'),
    );
  });
});

test('an id is untouched in a pipe, apart from line breaks', async () => {
  expect(await written([[{ id: 'e\u0301\u200b\t1' }]], { format: 'ids' })).toBe('e\u0301\u200b\t1\n');
});

describe('a table of records that come one by one', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `${index}`.repeat(3) }));
  const oneByOne = (records: readonly JsonObject[]) => records.map((record) => [record]);
  const tableOptions = { format: 'table', fields: ['text', 'id'] } as const;

  test('is the table of those records at once', async () => {
    const records = [{ text: 'short', id: '1' }, { text: 'a much longer text', id: '2' }, ...ids(8)];
    expect(await written(oneByOne(records), tableOptions)).toBe(await written([records], tableOptions));
  });

  test('begins with the hundredth, and goes on with each', async () => {
    const shown = await shownAfterEach(oneByOne(ids(102)), tableOptions);
    const lines = shown.map((text) => text.split('\n').length - 1);
    expect(lines).toEqual([...Array(99).fill(0), 101, 102, 103]);
  });

  test('begins with the first page of a list, however small its pages', async () => {
    const pages = [0, 1].map((page) => [{ id: `${page}a` }, { id: `${page}b` }]);
    const options = { format: 'table', fields: ['id'], firstRows: 2 } as const;
    expect(await shownAfterEach(pages, options)).toEqual(['ID\n0a\n0b\n', 'ID\n0a\n0b\n1a\n1b\n']);
  });

  test.each([
    ['a table shows those that came before', 'table', 'ID\nr1\nr2\n'],
    ['an array is left open, which no program takes for the whole', 'json', '[\n{"id":"r1"},\n{"id":"r2"}'],
  ] as const)('where the source fails, %s', async (_, format, text) => {
    const streams = capturedStreams();
    const source = (async function* () {
      yield [{ id: 'r1' }];
      yield [{ id: 'r2' }];
      throw new Error('the service is gone');
    })();
    const failed = writeRecords(source, view, { format, fields: ['id'] }, streams);
    await expect(failed).rejects.toThrow('the service is gone');
    expect(streams.outputText()).toBe(text);
  });

  test('that need no attention counts them too, so that the first that does is not held back', async () => {
    const streams = capturedStreams(terminal);
    const quiet = ids(99);
    const source = (async function* () {
      yield quiet;
      yield [{ id: 'bad' }];
      expect(streams.outputText()).toContain('bad');
    })();
    const watched: View = { ...view, attention: ({ id }) => (id === 'bad' ? 'change' : 'none') };
    expect(await writeRecords(source, watched, tableOptions, streams)).toEqual({
      written: 100,
      isCut: false,
      leftOut: [],
      unlisted: 99,
    });
  });
});

describe('a table of records of which some need a person', () => {
  const records = Array.from({ length: 40 }, (_, index) => {
    const kinds = ['creation', 'person', 'none', 'change'] as const;
    return { id: `r${index}`, text: kinds[index % 4] ?? 'none' };
  });
  type Attention = NonNullable<View['attention']>;
  const asTold: Attention = ({ text }) => text as ReturnType<Attention>;
  const ofIds = { format: 'table', fields: ['id'] } as const;
  const idsOf = async (options: CaptureOptions, attention = asTold) => {
    const streams = capturedStreams(options);
    const batches = batchesOf(records.slice(0, 25), records.slice(25));
    const { unlisted } = await writeRecords(batches, { ...view, attention }, ofIds, streams);
    return { unlisted, shown: streams.outputText().trimEnd().split('\n').slice(1) };
  };

  test('has these last on a terminal, ten creations, and counts the rest', async () => {
    const shown = records.filter(({ text }) => text === 'creation' || text === 'change').map(({ id }) => id);
    const persons = records.filter(({ text }) => text === 'person').map(({ id }) => id);
    expect(await idsOf(terminal)).toEqual({ unlisted: 10, shown: [...shown, ...persons] });
    const creations = await idsOf(terminal, () => 'creation');
    expect(creations).toMatchObject({ unlisted: 30, shown: { length: 10 } });
  });

  test('shows all of them in a pipe, in their order', async () => {
    expect(await idsOf({})).toEqual({ unlisted: 0, shown: records.map(({ id }) => id) });
  });

  test('keeps only the last thousand for its end', async () => {
    const streams = capturedStreams(terminal);
    const many = Array.from({ length: 2_500 }, (_, index) => ({ id: `p${index}`, text: 'person' }));
    const source = (async function* () {
      for (const record of many) yield [record];
      expect(streams.outputText()).toContain('p1499');
      expect(streams.outputText()).not.toContain('p1500');
    })();
    await writeRecords(source, { ...view, attention: asTold }, ofIds, streams);
    expect(streams.outputText().trimEnd().split('\n').slice(1)).toEqual(many.map(({ id }) => id));
  });
});

describe('an empty list', () => {
  test.each([
    ['table', ''],
    ['ndjson', ''],
    ['json', '[]\n'],
    ['csv', 'id,rating,text,images,product.id,product.group.id,isVisible,createdAt\n'],
    ['ids', ''],
    ['count', '0\n'],
    ['none', ''],
  ] as const)('as %s', async (format, text) => {
    expect(await written([], { format })).toBe(text);
    expect(await written([[]], { format }, terminal)).toBe(text);
  });
});

describe('chosen fields', () => {
  const fields = ['text', 'product.group.id', 'rating'];

  test('stay nested in JSON, in the order asked for', async () => {
    expect(await written([[first], [second]], { format: 'ndjson', fields })).toBe(
      '{"text":"좋아요","product":{"group":{"id":"g1"}},"rating":5}\n{"text":"so, \\"fine\\"\\n","product":null,"rating":10}\n',
    );
  });

  test('are the columns of CSV', async () => {
    const text = await written([[first]], { format: 'csv', fields: ['product.group.id', 'product', 'id'] });
    expect(text).toBe(
      'product.group.id,product,id\ng1,"{""id"":""p1"",""group"":{""id"":""g1""},""extra"":1}",r1\n',
    );
  });

  test('are the columns of a table, numbers right where the rows hold nothing else', async () => {
    const records = [
      { id: 'r1', product: { id: 7 } },
      { id: 'r2', product: { id: 1000 } },
    ];
    expect(await written([records], { format: 'table', fields: ['product.id', 'id'] }, terminal)).toBe(
      'PRODUCT.ID  ID\n         7  r1\n      1000  r2\n',
    );
  });

  test('may name an object whole, beside one of its fields', async () => {
    const text = await written([[first]], { format: 'json', fields: ['product.id', 'product'] });
    expect(JSON.parse(text)).toEqual([{ product: first.product }]);
  });

  test('that do not exist are refused with the list, before anything is asked for', async () => {
    let isAsked = false;
    const source = (async function* () {
      isAsked = true;
      yield [first];
    })();
    const run = writeRecords(source, view, { fields: ['id', 'stars', '__proto__'] }, capturedStreams());
    await expect(run).rejects.toMatchObject({
      kind: 'usage',
      message: "a review has no field 'stars', '__proto__'",
      hint: 'choose --fields from: id, rating, text, images, product, product.id, product.group, product.group.id, isVisible, createdAt',
    });
    expect(isAsked).toBe(false);
  });
});

describe('CSV for a spreadsheet', () => {
  test('begins with a BOM when asked to, but never on a terminal', async () => {
    const options = { format: 'csv', excel: true, fields: ['id'] } as const;
    expect(await written([[first], [second]], options)).toBe('\ufeffid\nr1\nr2\n');
    expect(await written([[first]], options, terminal)).toBe('id\nr1\n');
  });

  test.each(['=cmd|1', '+1', '-1+2', '@sum', '\tx', '\rx', '＝1', '-a'])('never runs %j', async (text) => {
    const csv = await written([[{ text }]], { format: 'csv', fields: ['text'] });
    expect(csv.replaceAll('"', '')).toBe(`text\n'${text}\n`);
  });

  test('leaves negative numbers alone', async () => {
    const records = [{ text: '-12.50' }, { text: -3 }, { text: '5-3' }];
    expect(await written([records], { format: 'csv', fields: ['text'] })).toBe('text\n-12.50\n-3\n5-3\n');
  });
});

describe.each(Object.entries(hostileTexts))('%s in any field', (_kind, hostile) => {
  const record = {
    id: hostile,
    text: hostile,
    product: { id: hostile, group: { id: [hostile] } },
    [hostile]: 1,
  };

  test.each(outputFormats)('reaches no terminal alive as %s', async (format) => {
    const text = await written([[record]], { format }, terminal);
    expect(livingCharacters(text)).toEqual([]);
    const chosen = await written([[record]], { format, fields: ['text', 'product'] }, terminal);
    expect(livingCharacters(chosen)).toEqual([]);
  });

  test('is the same data on a terminal and in a pipe', async () => {
    const onTerminal = await written([[record]], { format: 'ndjson' }, terminal);
    expect(JSON.parse(onTerminal)).toEqual(JSON.parse(await written([[record]], { format: 'ndjson' })));
  });
});

test('the columns a table had no room for are named', async () => {
  const streams = capturedStreams({ env: { COLUMNS: '20' } });
  const narrow: View = {
    ...view,
    columns: [
      { header: 'id', path: 'id', kind: 'word' },
      { header: 'text', path: 'text', kind: 'text' },
      { header: 'date', path: 'createdAt', kind: 'date', isOptional: true },
    ],
  };
  const { leftOut } = await writeRecords(batchesOf([first]), narrow, { format: 'table' }, streams);
  expect(leftOut).toEqual(['date']);
  expect(streams.outputText()).toBe('ID  TEXT\nr1  좋아요\n');
});

test('each batch is written before the next is asked for', async () => {
  const shown = await shownAfterEach([[{ id: 'a' }], [{ id: 'b' }]], { format: 'ndjson' });
  expect(shown).toEqual(['{"id":"a"}\n', '{"id":"a"}\n{"id":"b"}\n']);
});
