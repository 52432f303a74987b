import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clipText, displayWidth } from '../../src/output/terminal/display-width.ts';

test.each([
  ['abc', 3],
  ['한글', 4],
  ['日本語。', 8],
  ['ＡＢ', 4],
  ['ｱｲｳ', 3],
  ['👍', 2],
  ['👍🏽', 2],
  ['🫶', 2],
  ['🇰🇷', 2],
  ['❤', 1],
  ['สวัสดี', 4],
  ['e\u0301', 1],
  ['₩', 1],
  ['', 0],
])('%s takes %i cells', (text, width) => {
  expect(displayWidth(text)).toBe(width);
});

test('a cut text ends with an ellipsis inside the width', () => {
  expect(clipText('abcdef', 4).text).toBe('abc…');
  expect(clipText('한글날', 4).text).toBe('한…');
  expect(clipText('한글날', 5).text).toBe('한글…');
});

test('a text is whole where it fits, and else as long as it can be, whatever it is made of', () => {
  const texts = fc
    .array(fc.constantFrom('a', ' ', '~', '한', '\u0301', '👍', '👍🏽', '🇰🇷', 'สี'))
    .map((all) => all.join(''));
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 12 }), (text, width) => {
      const clipped = clipText(text, width);
      const isWhole = displayWidth(text) <= width;
      expect(clipped.text === text).toBe(isWhole);
      if (isWhole) return;
      expect(text.startsWith(clipped.text.slice(0, -1))).toBe(true);
      expect(clipped.width).toBe(displayWidth(clipped.text));
      expect([width - 1, width]).toContain(clipped.width);
    }),
  );
});
