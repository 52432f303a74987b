import { expect, test } from 'vitest';
import { isMojibake } from '../../src/input/cells/mojibake.ts';

test.each([
  ...['ë¹¨ê°„', 'CafÃ©', 'donâ€™t', 'a b ë¹¨', 'x é, ë¹¨ê°„', 'Â°', 'ë¹¨', 'ðŸ˜€', 'â€” 5', 'Ã© Ã©'],
  ...['»¡°£', 'x »¡°£ y', '°¡³ª', 'A\u009b'],
  ...[
    '鍮④컙',
    '留덉',
    '李李李',
    'A 李六立',
    '\uf9e1\uf9d1\uf9f7',
    '占쏙옙',
    '占쏙옙'.normalize('NFD'),
    '머占썽',
  ],
])('text that was decoded with the wrong charset is found: %j', (text) => {
  expect(isMojibake(text)).toBe(true);
});

test.each([
  ...['Café', 'CAFÃ…', 'Ã— é', 'Â” x', 'Ä‡', 'É Ã©', '©', 'plain', '€ 12', 'naïve – déjà', '“a” ’'],
  ...['°¡', '°º°º', '°¡°¡°¡', 'é»¡°£', '»¡°£é', '30 °C'],
  ...['李氏 쀼', '李 찻잔', '二重', '李李', '商品 쀼', '占領', '獨占을', '쀼 & 뷁'],
])('other text is not taken for it: %j', (text) => {
  expect(isMojibake(text)).toBe(false);
});
