import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { failureTraces } from '../../src/input/records/options.ts';
import { orderItemRecords, productRecords } from '../../src/input/records/record-kinds.ts';
import { read, recordsOf } from './reading.ts';
import { writtenCell } from './written.ts';

const fixture = (path: string) => readFileSync(new URL(`../../fixtures/${path}`, import.meta.url), 'utf8');

describe('one day of a real shop', () => {
  const orders = { 'orders.csv': fixture('online-retail/online-retail-2010-12-01.csv') };

  it('gives 3,108 order items with ids from a template', async () => {
    const { entries, problems, notices } = await read(orderItemRecords, orders, {
      map: [
        'orderOriginId=InvoiceNo',
        'originId={InvoiceNo}-{n}',
        'productOriginId=StockCode',
        'orderedAt=InvoiceDate',
        'memberOriginId=CustomerID',
        'paidPrice=UnitPrice',
      ],
      timeZone: '+00:00',
      allow: ['decimal-ids'],
    });
    expect(problems).toEqual([]);
    expect(entries).toHaveLength(3_108);
    expect(entries[0]?.record).toEqual({
      orderOriginId: '536365',
      originId: '536365-1',
      productOriginId: '85123A',
      orderedAt: '2010-12-01T08:26:00+00:00',
      memberOriginId: '17850.0',
      paidPrice: '2.55',
    });
    expect(new Set(entries.map(({ record }) => record.originId)).size).toBe(3_108);
    expect(notices).toEqual([
      { code: 'unknown-columns', message: 'columns not used: Description, Quantity, Country' },
    ]);
  });

  it('whose members a program has taken for numbers, which is the only trace of a failure in it', async () => {
    const { problems } = await read(orderItemRecords, orders, {
      map: [
        ...['orderOriginId=InvoiceNo', 'originId={InvoiceNo}-{n}', 'productOriginId=StockCode'],
        ...['memberOriginId=CustomerID', 'buyer.name=Description', 'recipient.name=Country'],
      ],
    });
    expect(new Set(problems.map(({ column, code }) => `${column}: ${code}`))).toEqual(
      new Set(['CustomerID: id-decimal']),
    );
    expect(problems).toHaveLength(1_968);
  });

  it('gives each product code once, and its code as name where it has no description', async () => {
    const { entries, problems } = await read(productRecords, orders, {
      map: ['originId=StockCode', 'name={Description|StockCode}'],
    });
    expect(entries.length + problems.length).toBe(3_108);
    expect(problems.every(({ code }) => code === 'duplicate-origin-id')).toBe(true);
    const nameless = entries.filter(({ record }) => record.name === record.originId);
    expect(nameless.length).toBeGreaterThan(0);
  });
});

describe('the big list of naughty strings', () => {
  const strings = JSON.parse(fixture('blns/blns.json')) as readonly string[];
  const expected = strings.map((text) => text.trim().normalize('NFC'));
  const named = (records: readonly { readonly name?: string }[]) => records.map(({ name = '' }) => name);

  /** The DOCTYPE declares the entity that it uses. */
  const controlOrEscape = /[^\P{Cc}\t\r\n]|\ufffe|&#?\w+;|\\u|<!DOCTYPE/u;
  const allow = failureTraces;
  const csv = `originId,name\n${strings.map((text, index) => `${index},${writtenCell(text, ',', true)}\n`).join('')}`;

  it('is carried through CSV as text', async () => {
    expect(named(await recordsOf(productRecords, csv, { allow }))).toEqual(expected);
  });

  it('but for words, controls and escapes of programs, which must be allowed', async () => {
    const { problems } = await read(productRecords, csv);
    const words = ['undefined', 'null', 'NULL', '(null)', 'None', 'NaN'];
    expect(problems.slice(0, words.length).map(({ value }) => value)).toEqual(words);
    const others = problems.slice(words.length).map(({ value = '' }) => value);
    expect(others.filter((value) => !controlOrEscape.test(value))).toEqual([]);
  });

  it('is carried through JSON as text', async () => {
    const records = strings.map((name, index) => ({ originId: String(index), name }));
    expect(named(await recordsOf(productRecords, JSON.stringify(records), { allow }))).toEqual(expected);
    const lines = records.map((record) => JSON.stringify(record)).join('\n');
    expect(named(await recordsOf(productRecords, lines, { allow }))).toEqual(expected);
  });
});
