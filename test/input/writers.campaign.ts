import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { withoutFormula } from '../../src/input/mapping/column.ts';
import { productRecords } from '../../src/input/records/record-kinds.ts';
import { previewOf } from './previews.ts';
import { read } from './reading.ts';
import { encodings, lineEnds, writtenCell } from './written.ts';

/** Cells that every charset can encode, and that careless readers misinterpret. */
const cell = fc.oneof(
  fc.string({ unit: fc.constantFrom(...Array.from('ab1 가힣똠㈜뷁,;|\t"\'=\\/<>&\n')) }),
  fc.constantFrom(
    '"',
    '""',
    ',',
    ';',
    '\t',
    '|',
    '\r\n',
    '\n',
    '007',
    '="1"',
    '한글',
    'a"b',
    '1,000',
    'sep=;',
    '가"\n"나',
  ),
);

const table = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 12 });

const writer = fc.record({
  delimiter: fc.constantFrom(',', '\t', ';', '|'),
  end: fc.constantFrom('\n', '\r\n', '\r'),
  quotesAll: fc.boolean(),
  endsLastLine: fc.boolean(),
  blankRows: fc.boolean(),
  charset: fc.constantFrom(...Object.keys(encodings)),
  isPacked: fc.boolean(),
  above: fc.constantFrom('nothing', 'notice', 'long notice', 'sep'),
});

type Writer = typeof writer extends fc.Arbitrary<infer W> ? W : never;

const notices = {
  nothing: [],
  notice: ['엑셀 다운로드 안내'],
  'long notice': ['"다운로드, 안내;\n두 줄"', '2026-09-30'],
  sep: [],
} as const;

function write(
  rows: readonly (readonly string[])[],
  how: Writer,
): { content: Uint8Array; headerRow: number } {
  const { delimiter, end, quotesAll, endsLastLine, blankRows, above } = how;
  const written = (text: string) => writtenCell(text, delimiter, quotesAll);
  const lead = above === 'sep' ? [`sep=${delimiter}`] : notices[above];
  const lines = [...lead, ...rows.map((row) => row.map(written).join(delimiter))];
  const text = lines.join(blankRows ? end + end : end) + (endsLastLine ? end : '');
  const bytes = encodings[how.charset]?.(text) ?? Buffer.of();
  const shift = blankRows ? lead.length : 0;
  return {
    content: how.isPacked ? gzipSync(bytes) : bytes,
    headerRow: 1 + shift + lead.reduce((sum, line) => sum + 1 + lineEnds(line), 0),
  };
}

/** Removes the apostrophe that keeps spreadsheets from running a cell. */
const live = (cell: string) => cell.replace(/^'(?='*[=+\-@\t\r\n＝＋－＠])/, '');

it('random tables come back from every writer as the same records on the same lines, told nothing but the row of the header', async () => {
  await fc.assert(
    fc.asyncProperty(table, writer, async (random, how) => {
      // A last row with only an id would look cut off.
      const body = [...random, ['last', '']] as const;
      const header = ['originId', 'name', 'groupName', 'imageUrl'];
      const rows = body.map(([name, group], index) => [`id-${index}`, name, group, '']);
      const { content, headerRow } = write([header, ...rows], how);
      const isBelow = how.above !== 'nothing' && how.above !== 'sep';
      const { entries, problems } = await read(productRecords, content, isBelow ? { headerRow } : {});
      let line = headerRow + (how.blankRows ? 2 : 1);
      const expected = body.map(([name, group], index) => {
        const filled = (written: string, path: string) => {
          const text = withoutFormula(live(written)).trim().normalize('NFC');
          return text === '' ? {} : { [path]: text };
        };
        const record = { originId: `id-${index}`, ...filled(name, 'name'), ...filled(group, 'groupName') };
        const entry = { file: 'input', line, record };
        line += (how.blankRows ? 2 : 1) + lineEnds(name) + lineEnds(group);
        return entry;
      });
      expect({ entries, problems }).toEqual({ entries: expected, problems: [] });
    }),
    { numRuns: 300 },
  );
});

it.each([',', '\t', ';', '|'])(
  'the delimiter is found below rows that are no table: %j',
  async (delimiter) => {
    const header = ['상품주문번호', '배송방법', '택배사', '송장번호'].join(delimiter);
    const rows = Array.from({ length: 5 }, (_, n) =>
      [`${n}`, '택배, 등기', '"한진; 로젠|x\t"', 'z']
        .map((text) => (text.startsWith('"') ? text : writtenCell(text, delimiter, false)))
        .join(delimiter),
    );
    const content = ['다운로드 안내, 꼭 읽어 주세요', header, ...rows].join('\r\n');
    expect(await previewOf(content)).toMatchObject({
      format: { kind: 'delimited', delimiter },
      rows: [1, 2, 3, 4, 5, 6, 7].map((line) => ({ line })),
    });
  },
);
