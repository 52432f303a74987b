import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { deriveDemoFiles } from './demo-data.ts';

const source = readFileSync('fixtures/online-retail/online-retail-2010-12-01.csv', 'utf8');

test.each(['categories.csv', 'products.csv', 'orders.csv'] as const)(
  'fixtures/demo/%s holds nothing but what the real data says',
  async (name) => {
    await expect(deriveDemoFiles(source)[name]).toMatchFileSnapshot(`../../fixtures/demo/${name}`);
  },
);
