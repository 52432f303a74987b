import { expect, it } from 'vitest';
import { exactText } from '../../src/store/sqlite/journal/exact-text.ts';

it.each([
  ['', ''],
  ['61c3a9eab080f09f9880', 'aé가😀'],
  ['efbfbd', '\ufffd'],
  ['eda080', '\ud800'],
  ['61eda0bd7f', 'a\ud83d\u007f'],
  ['efbfbdedb080c280dfbfe0a080f0908080', '\ufffd\udc00\u0080\u07ff\u0800\u{10000}'],
  ['edafbff48fbfbf', '\udbff\u{10ffff}'],
])('the bytes %s are the text %j', (hex, text) => {
  const bytes = Buffer.from(`78${hex}79`, 'hex');
  expect(exactText(bytes.subarray(1, -1))).toBe(text);
});
