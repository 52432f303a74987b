import { expect, it } from 'vitest';
import { paymentKey } from '../../src/settle/rules/payment-key.ts';

const shop = { origin: 'https://api.example', shop: 'shop' };

it('is the same on every machine and in every version', () => {
  expect(paymentKey(shop, 'R1', 0)).toBe(paymentKey({ ...shop }, 'R1', 0));
  expect(paymentKey(shop, 'R1', 0)).toBe('rv1-g642yc72fwhn5zxk2aoc5vtbkvfxsavnv2c4aiwx');
});

it('fits where keys are stored: at most 44 characters of a-z, 2-7 and hyphens', () => {
  for (let gen = 0; gen < 100; gen += 1) {
    expect(paymentKey(shop, `보상 ${gen}`, gen)).toMatch(/^rv1-[a-z2-7]{40}$/);
  }
});

it('differs by service, shop, reward and generation, however their names run together', () => {
  const keys = [
    paymentKey(shop, 'R1', 0),
    paymentKey(shop, 'R1', 1),
    paymentKey(shop, 'R10', 0),
    paymentKey(shop, 'R', 10),
    paymentKey({ ...shop, shop: 'shopR1' }, '', 0),
    paymentKey({ ...shop, shop: '' }, 'shopR1', 0),
    paymentKey({ ...shop, origin: 'https://api.example/' }, 'R1', 0),
    paymentKey({ origin: 'https://api.exampleshop', shop: '' }, 'R1', 0),
  ];
  expect(new Set(keys).size).toBe(keys.length);
});
