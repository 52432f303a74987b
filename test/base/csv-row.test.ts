import { describe, expect, it } from 'vitest';
import { csvRow, inertCell, liveCell } from '../../src/base/csv-row.ts';

describe('a row of CSV', () => {
  it.each([
    ['a delimiter', 'a,b', '"a,b"'],
    ['a quote', 'a"b', '"a""b"'],
    ['a line feed', 'a\nb', '"a\nb"'],
    ['a carriage return', 'a\rb', '"a\rb"'],
  ])('quotes a cell with %s', (_, cell, written) => {
    expect(csvRow([cell, 'c'])).toBe(`${written},c`);
  });

  it('leaves every other cell as it is', () => {
    expect(csvRow(['a b', 'c,d', "'", ''], ';')).toBe("a b;c,d;';");
  });
});

describe('a cell for a spreadsheet', () => {
  it.each([
    ['=', '=1+1'],
    ['+', '+1'],
    ['-', '-1'],
    ['@', '@SUM(A1)'],
    ['a tab', '\t=1'],
    ['a carriage return', '\r=1'],
    ['a line feed', '\n=1'],
    ['a full-width =', '＝1'],
    ['a full-width +', '＋1'],
    ['a full-width -', '－1'],
    ['a full-width @', '＠SUM(A1)'],
    ['an apostrophe before a formula', "'=1"],
  ])('that begins with %s gets an apostrophe, which reading removes', (_, text) => {
    expect(inertCell(text)).toBe(`'${text}`);
    expect(liveCell(`'${text}`)).toBe(text);
  });

  it.each(['a=1', "'a", '', ' =1'])('that is no formula stays as it is: %j', (text) => {
    expect(inertCell(text)).toBe(text);
    expect(liveCell(text)).toBe(text);
  });
});
