import { describe, expect, it } from 'vitest';
import {
  isCp949ReadAsLatin,
  isReplacementReadAsCp949,
  isUtf8ReadAsCp949,
  isUtf8ReadAsLatin,
} from '../../src/input/cells/mojibake.ts';

describe('UTF-8 that was read as Western European text', () => {
  it.each(['ë¹¨ê°„', 'CafÃ©', 'donâ€™t', 'a b ë¹¨', 'x é, ë¹¨ê°„', 'Â°', 'ë¹¨', 'ðŸ˜€', 'â€” 5', 'Ã© Ã©'])(
    'is found in %j',
    (text) => expect(isUtf8ReadAsLatin(text)).toBe(true),
  );

  it.each(['Café', 'CAFÃ…', 'Ã— é', 'Â” x', 'Ä‡', 'É Ã©', '©', 'plain', '€ 12', 'naïve – déjà'])(
    'is not found in %j',
    (text) => expect(isUtf8ReadAsLatin(text)).toBe(false),
  );
});

describe('CP949 that was read as Western European text', () => {
  it.each(['»¡°£', 'x »¡°£ y', '°¡³ª'])('is found in %j', (text) =>
    expect(isCp949ReadAsLatin(text)).toBe(true),
  );

  it.each(['°¡', '°º°º', '°¡°¡°¡', 'é»¡°£', '»¡°£é', '30 °C'])('is not found in %j', (text) =>
    expect(isCp949ReadAsLatin(text)).toBe(false),
  );
});

describe('UTF-8 that was read as CP949', () => {
  it.each(['鍮④컙', '留덉', '李李李', 'A 李六立', '\uf9e1\uf9d1\uf9f7'])('is found in %j', (text) =>
    expect(isUtf8ReadAsCp949(text)).toBe(true),
  );

  it.each(['李氏 쀼', '李 찻잔', '二重', '李李', '商品 쀼'])('is not found in %j', (text) =>
    expect(isUtf8ReadAsCp949(text)).toBe(false),
  );

  it.each([
    ['占쏙옙', true],
    ['占쏙옙'.normalize('NFD'), true],
    ['머占썽', true],
    ['占領', false],
    ['獨占을', false],
  ])('with what was lost before: %j', (text, isFound) => {
    expect(isReplacementReadAsCp949(text)).toBe(isFound);
  });
});
