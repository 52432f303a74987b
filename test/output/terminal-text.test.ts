import { describe, expect, test } from 'vitest';
import { terminalJson, terminalText } from '../../src/output/terminal/terminal-text.ts';
import { hostileTexts, livingCharacters } from './hostile-text.ts';

describe.each(Object.entries(hostileTexts))('%s', (_kind, hostile) => {
  test('leaves nothing alive in text', () => {
    expect(livingCharacters(hostile)).not.toEqual([]);
    expect(livingCharacters(terminalText(hostile))).toEqual([]);
  });

  test('leaves nothing alive in JSON, and the value is the same', () => {
    const json = terminalJson(JSON.stringify({ [hostile]: hostile }));
    expect(livingCharacters(json)).toEqual([]);
    expect(JSON.parse(json)).toEqual({ [hostile]: hostile });
  });
});

describe('what was taken out', () => {
  test.each(['\u2028', '\u2029'])('is the separator %j, which breaks a line', (separator) => {
    const code = separator.charCodeAt(0).toString(16);
    expect(terminalText(`a${separator}b`)).toBe(`a\\u{${code}}b`);
    expect(terminalJson(JSON.stringify(separator))).toBe(`"\\u${code}"`);
  });

  test.each([
    [
      'is shown as an escape that names it',
      'a\u202eb\u001b[2Jc\u{e0041}',
      'a\\u{202e}b\\u{1b}[2Jc\\u{e0041}',
    ],
    ['is short for line breaks, and a space for a tab', 'a\r\nb\tc', 'a\\r\\nb c'],
    ['covers halves of surrogate pairs', 'a\ud83db', 'a\\u{d83d}b'],
    ['is the joiner alone where emoji are joined', '👨‍👩‍👧 ❤️‍🔥 1️⃣', '👨👩👧 ❤🔥 1\u20e3'],
    [
      'is visible where it joins no emoji',
      'a\u200db\ufe0f 👍\ufe0f\ufe0f',
      'a\\u{200d}b\\u{fe0f} 👍\\u{fe0f}',
    ],
  ])('%s', (_, text, shown) => {
    expect(terminalText(text)).toBe(shown);
  });
});

test('what people write stays as it is', () => {
  const text = '정말 좋아요! 色も最高 🇰🇷👍🏽 Ünïcödé — “ok” ₩12,000';
  expect(terminalText(text)).toBe(text);
});

test('decomposed Hangul is composed', () => {
  expect(terminalText('한글'.normalize('NFD'))).toBe('한글');
});
