import { describe, expect, it } from 'vitest';
import {
  orderItemRecords,
  orderItemUpdateRecords,
  productRecords,
} from '../../src/input/records/record-kinds.ts';
import { read, recordsOf } from './reading.ts';

const csv = (...rows: readonly string[]) => `${rows.join('\n')}\n`;
const orderHeader = '주문번호,품목별 주문번호,상품번호,상품코드';

describe('a shop goes by one product key', () => {
  it.each([
    ['상품코드', 'P0'],
    ['상품번호', '17'],
  ])('%s, once it is known, in files of products, orders and order items', async (productKey, id) => {
    const products = csv('상품번호,상품코드,상품명', '17,P0,a');
    expect(await recordsOf(productRecords, products, { productKey })).toMatchObject([{ originId: id }]);
    const orders = csv(orderHeader, 'O,I,17,P0');
    expect(await recordsOf(orderItemRecords, orders, { productKey })).toMatchObject([
      { productOriginId: id },
    ]);
    const items = await recordsOf(orderItemUpdateRecords, orders, { productKey });
    expect(items).toMatchObject([{ productOriginId: id }]);
  });

  it.each([
    ['Handle,Title,Variant SKU', 'mug,Mug,M-1'],
    ['URL handle,Title,SKU', 'mug,Mug,M-1'],
    ['SKU,Title', 'M-1,Mug'],
  ])('whatever its column is called: SKU under %s', async (header, row) => {
    for (const productKey of ['SKU', 'sku', 'Variant SKU']) {
      const records = await recordsOf(productRecords, csv(header, row), { productKey });
      expect(records).toMatchObject([{ originId: 'M-1' }]);
    }
  });

  it('also one that no shop system is known for', async () => {
    const file = csv('name,Artikel,상품코드', 'a,X1,P0');
    const records = await recordsOf(productRecords, file, { productKey: 'Artikel' });
    expect(records).toMatchObject([{ originId: 'X1' }]);
  });

  it('and a file without it is refused, with the ways on', async () => {
    const shopify = csv('Name,Lineitem name,Lineitem sku', '#1,Mug,M-1');
    const settings = { productKey: 'Handle', map: ['originId={Name}-{n}'] };
    const { records, problems } = await read(orderItemRecords, shopify, settings);
    expect(records).toEqual([]);
    expect(problems).toEqual([
      {
        file: 'input',
        line: 1,
        code: 'other-product-key',
        reason: 'productOriginId comes from Lineitem sku, but this shop identifies its products by Handle',
        choices: ['-c product-key=SKU'],
        remedy: expect.stringMatching(
          /-c product-key=SKU;\n.*reviewctl config set product-key SKU, then push its products and orders with it$/,
        ),
      },
    ]);
  });

  it.each([
    ['a column', '상품번호'],
    ['a template', 'S-{상품번호}'],
  ])('and --map of %s with another key is refused', async (_, source) => {
    const file = csv(orderHeader, 'O,I,17,P0');
    const map = [`productOriginId=${source}`];
    const { problems } = await read(orderItemRecords, file, { productKey: '상품코드', map });
    expect(problems).toMatchObject([{ line: 1, code: 'other-product-key' }]);
  });
});

describe('a column of unknown meaning beside the key of the shop', () => {
  it.each([
    ['Barcode', ['other-product-key']],
    ['{SKU}-{Barcode}', []],
    ['Variant SKU', []],
  ])('is refused as the source of the id: --map originId=%s', async (source, codes) => {
    const file = csv('SKU,Variant SKU,Barcode,Title', 'S1,S1,880,a');
    const settings = { productKey: 'SKU', map: [`originId=${source}`, 'name=Title'] };
    const { problems } = await read(productRecords, file, settings);
    expect(problems.map(({ code }) => code)).toEqual(codes);
  });

  it('is accepted where the shop goes over to it', async () => {
    const settings = { productKey: 'Barcode', map: ['originId=Barcode', 'name=Title'] };
    const records = await recordsOf(productRecords, csv('SKU,Barcode,Title', 'S1,880,a'), settings);
    expect(records).toMatchObject([{ originId: '880' }]);
  });

  it('is not the column called like the field', async () => {
    const records = await recordsOf(productRecords, csv('SKU,originId,name', 'S1,X,a'), {
      productKey: 'SKU',
    });
    expect(records).toMatchObject([{ originId: 'X' }]);
  });
});

describe('without the key of the shop', () => {
  it('no column is to be chosen among several', async () => {
    const file = csv(orderHeader, 'O,I,17,P0');
    const { problems } = await read(orderItemRecords, file, { productKey: '자체 상품코드' });
    expect(problems.map(({ code }) => code)).toEqual(['other-product-key']);
  });

  it('known, the files of one push go by that of the first', async () => {
    const files = {
      'a.csv': csv('상품코드,상품명', 'P1,a'),
      'b.csv': csv('상품번호,상품코드,상품명', '17,P2,b'),
      'c.csv': csv('상품번호,상품명', '18,c'),
    };
    const { ids, problems, productKey } = await read(productRecords, files);
    expect(ids).toEqual(['P1', 'P2']);
    expect(problems).toMatchObject([{ file: 'c.csv', code: 'other-product-key' }]);
    expect(productKey).toBe('상품코드');
  });

  it('a column called like the field, or one of unknown meaning, is as it says', async () => {
    const own = csv('originId,name', 'X,a');
    expect(await recordsOf(productRecords, own, { productKey: 'SKU' })).toMatchObject([{ originId: 'X' }]);
    const mapped = { productKey: 'SKU', map: ['originId=Artikel'] };
    const records = await recordsOf(productRecords, csv('Artikel,name', 'X,a'), mapped);
    expect(records).toMatchObject([{ originId: 'X' }]);
  });
});
