import { expect, test } from 'vitest';
import { invalidUtf8In, withExactAmounts } from '../../src/client/reply-loss.ts';

const findingIn = (bytes: Buffer) =>
  invalidUtf8In({ status: 200, headers: {}, body: bytes.toString(), bytes });

test('a long amount is found wherever it begins, among numbers of any length', () => {
  for (let before = 0; before < 40; before += 1) {
    const body = (amount: string) =>
      `{"a":"${'x'.repeat(before)}","b":[1234567.5,20261120],"amount":${amount}}`;
    expect(withExactAmounts(body('1234567890123456789'))).toBe(body('"1234567890123456789"'));
  }
});

test('an amount with more digits than a number keeps is read as its text', () => {
  const body = '{"data":[{"amount" : 499.999999999999999999,"n":1},{"amount":1E400},{"amount":6300.10}]}';
  const exact =
    '{"data":[{"amount" : "499.999999999999999999","n":1},{"amount":"1E400"},{"amount":6300.10}]}';
  expect(withExactAmounts(body)).toBe(exact);
  const text = '{"text":"\\"amount\\":499.999999999999999999","amounts":499.999999999999999999}';
  expect(withExactAmounts(text)).toBe(text);
});

test('the first byte that is not UTF-8 is named with its place, also after a replacement that was sent', () => {
  const bytes = Buffer.concat([
    Buffer.from('{"data":[{"id":"1","text":"가\uFFFD"},{"id":"2","text":"'),
    Buffer.from([0xb0, 0xa1]),
    Buffer.from('"}]}'),
  ]);
  expect(findingIn(bytes)).toBe(
    `the reply is not UTF-8 at byte ${bytes.indexOf(0xb0, 40)} (data[1].text); unreadable characters became \uFFFD`,
  );
  expect(findingIn(Buffer.from('{"text":"\uFFFD"}'))).toBeUndefined();
});

test('a text after objects and arrays that have ended has its own place', () => {
  const [before, after] = ['{"a":[{"b":[1,{"c":[]}]},[]],"d":{"e":[true,1.5e3,"', '"]}}'];
  const bytes = Buffer.concat([Buffer.from(before), Buffer.from([0xb0]), Buffer.from(after)]);
  expect(findingIn(bytes)).toContain('(d.e[2])');
});

test('a reply whose bytes are not kept has lost no characters', () => {
  expect(invalidUtf8In({ status: 200, headers: {}, body: '{"text":"\uFFFD"}' })).toBeUndefined();
});
