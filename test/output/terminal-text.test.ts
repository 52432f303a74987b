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

  test('is shown as an escape that names it', () => {
    expect(terminalText('a\u202eb\u001b[2Jc\u{e0041}')).toBe('a\\u{202e}b\\u{1b}[2Jc\\u{e0041}');
  });

  test('is short for line breaks, and a space for a tab', () => {
    expect(terminalText('a\r\nb\tc')).toBe('a\\r\\nb c');
  });

  test('covers halves of surrogate pairs', () => {
    expect(terminalText('a\ud83db')).toBe('a\\u{d83d}b');
  });

  test('is the joiner alone where emoji are joined', () => {
    expect(terminalText('👨‍👩‍👧 ❤️‍🔥 1️⃣')).toBe('👨👩👧 ❤🔥 1\u20e3');
  });

  test('is visible where a joiner or selector joins no emoji', () => {
    expect(terminalText('a\u200db\ufe0f 👍\ufe0f\ufe0f')).toBe('a\\u{200d}b\\u{fe0f} 👍\\u{fe0f}');
  });
});

test('what people write stays as it is', () => {
  const text = '정말 좋아요! 色も最高 🇰🇷👍🏽 Ünïcödé — “ok” ₩12,000';
  expect(terminalText(text)).toBe(text);
});

test('decomposed Hangul is composed', () => {
  expect(terminalText('한글'.normalize('NFD'))).toBe('한글');
});
