import { expect, test } from 'vitest';
import { checkedPage } from './check-page.ts';
import { pageOf, reviewOf } from './make-reviews-page.ts';
import { textIn } from './parse-html.ts';

test('100,000 reviews of 10,000 products make a page below 1 MB', async () => {
  function* reviews() {
    for (let index = 0; index < 100_000; index += 1) {
      const month = String(1 + (index % 12)).padStart(2, '0');
      yield reviewOf(
        1 + (index % 5),
        `가나다라 상품 ${index % 10_000}`,
        `배송${index % 700} 품질이 아쉬워요 ${'가나다 '.repeat(20)}`,
        {
          createdAt: `20${10 + (index % 17)}-${month}-03T10:00:00Z`,
        },
      );
    }
  }
  const text = await pageOf(reviews(), 1000);
  expect(Buffer.byteLength(text)).toBeLessThan(1_000_000);
  expect(textIn(checkedPage(text))).toContain('100,000');
});
