import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { charsetNamed } from '../../src/input/open/charset.ts';
import { productRecords } from '../../src/input/records/record-kinds.ts';
import { read } from './reading.ts';

const cp949 = await charsetNamed('cp949');

const head =
  '<html xmlns:x="urn:x"><head><meta charset="euc-kr"><style>td { color: red }</style></head><body>';

/** A page as the back offices of shops export it. */
function page(rows: string): string {
  return `${head}\n<table border="1">${rows}</table></body></html>`;
}

const header = '<tr><th>originId</th><th>name</th>\n<th>imageUrl</th></tr>';
const row = '<tr><td>007</td><td>가</td><td></td></tr>';
const unclosed = '<tr><td>007<td>가<td>';

describe('an HTML table, whatever the name of its file', () => {
  it.each([
    ['in EUC-KR', cp949.encode(page(header + row))],
    ['in UTF-8', page(header + row)],
    ['in UTF-16', Buffer.from(`\ufeff${page(header + row)}`, 'utf16le')],
    ['in gzip', gzipSync(page(header + row))],
    ['without closing tags', page(header.replace('</tr>', '') + unclosed)],
    ['without a page around it', '<TABLE><TR><TD>originId<TD>name<TR><TD>007<TD>가</TABLE>'],
    ['with parts', page(`<thead>${header}</thead><tbody>${row}</tbody>`)],
  ])('is read %s', async (_case, content) => {
    for (const name of ['export.xls', 'export.csv']) {
      const { records, problems } = await read(productRecords, { [name]: content });
      expect(problems).toEqual([]);
      expect(records).toMatchObject([{ originId: '007', name: '가' }]);
    }
  });

  it('has the texts that a browser shows', async () => {
    const name = '  큰 <b>곰</b>&nbsp;&amp;\n   "작은" &#44; 곰<br/> 둘<!-- 셋 -->  ';
    const content = page(`${header}<tr><td>1</td><td>${name}</td><td></td></tr>`);
    const { records } = await read(productRecords, content);
    expect(records).toMatchObject([{ originId: '1', name: '큰 곰 & "작은" , 곰\n둘' }]);
  });

  it('has neither scripts nor styles in its cells', async () => {
    const name = 'a<script>if (x < 1) y();</script>b<style>td { color: red }</style> <b>c</b>';
    const { records } = await read(
      productRecords,
      page(`${header}<tr><td>1</td><td>${name}</td><td></td></tr>`),
    );
    expect(records).toMatchObject([{ originId: '1', name: 'ab c' }]);
  });

  it('is read from a page that is cut short below it, and cells outside of it are ignored', async () => {
    const { ids, problems } = await read(
      productRecords,
      `<div><tr><td>x</td></tr><table>${header}${row}</table><p>1 ro`,
    );
    expect({ ids, problems }).toEqual({ ids: ['007'], problems: [] });
  });

  it.each([
    ['a row', row.replace('<tr', '<tr style="height: 0; DISPLAY:none"'), true],
    ['a cell', row.replace('<td', '<td style="display: none"'), true],
    ['a row, but a blank one', `${row}<tr style="display:none"><td></td><td></td></tr>`, false],
    ['nothing', row.replace('<td', '<td style="color: red"'), false],
  ])('warns of what it hides: %s', async (_case, rows, isWarned) => {
    const { ids, notices } = await read(productRecords, page(header + rows));
    expect(ids).toEqual(['007']);
    expect(notices.map(({ code }) => code)).toEqual(isWarned ? ['hidden-cells'] : []);
  });

  it('may have a title above its header', async () => {
    const content = page(`<tr><td colspan="3">상품 목록</td></tr>${header}${row}`);
    const { problems } = await read(productRecords, content);
    expect(problems).toMatchObject([{ code: 'missing-columns', choices: ['--header-row 2'] }]);
    const { entries } = await read(productRecords, content, { headerRow: 2 });
    expect(entries).toMatchObject([{ line: 3, record: { originId: '007', name: '가' } }]);
  });

  it('is read to its end in any number of pieces', async () => {
    const ids = Array.from({ length: 20_000 }, (_, n) => `P${n}`);
    const rows = ids.map((id) => `<tr><td>${id}</td><td>이름 ${id}</td><td></td></tr>`);
    const { entries } = await read(productRecords, page(header + rows.join('\n')));
    expect(entries.map(({ record }) => record.originId)).toEqual(ids);
    expect(entries.at(-1)).toMatchObject({ line: 20_001, record: { name: '이름 P19999' } });
  });
});

describe('an HTML table that is not read', () => {
  it.each([
    ['a cell over two rows', '<tr><td rowspan=2>1<td>a<td></tr><tr><td>b<td></tr>', 2, 'span'],
    ['a cell over two columns', '<tr><td>1<td colspan="2">a</tr>', 2, 'span'],
    ['a table in a cell', '<tr><td>1<td><table><tr><td>a</table><td></tr>', 2, 'several tables'],
    ['a second table', '<tr><td>1<td>a<td></tr></table><table><tr><td>b</tr>', 3, 'several tables'],
  ])('with %s is refused in words', async (_case, rows, line, reason) => {
    const { problems } = await read(productRecords, page(header + rows));
    expect(problems).toMatchObject([{ line, code: 'html-table', reason: expect.stringContaining(reason) }]);
  });

  it.each([
    ['in the last cell', '<tr><td>007</td><td>가', 2],
    ['behind a cell', '<tr><td>007</td><td>가</td>', 2],
    ['behind a row', row, 3],
    ['behind its last part', `<tbody>${row}</tbody>`, 3],
    ['in a tag', `${row}</tabl`, 3],
    ['in a comment', `${row}<!-- </table>`, 3],
  ])('that is cut short %s is refused', async (_case, rest, line) => {
    const cut = `${head}<table>${header}${rest}`;
    const { problems } = await read(productRecords, cut);
    expect(problems).toMatchObject([
      { line, code: 'html-table', reason: expect.stringContaining('cut short') },
    ]);
  });

  it('with a row that never ends is refused where it begins', async () => {
    const endless = `${head}<table>${header}<tr><td>1<td>${'x'.repeat(1_200_000)}`;
    const { problems } = await read(productRecords, endless);
    expect(problems).toMatchObject([{ line: 2, code: 'row-too-long' }]);
  });
});
