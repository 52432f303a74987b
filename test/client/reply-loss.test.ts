import { expect, it, test } from 'vitest';
import { isRounded } from '../../src/base/json.ts';
import { lossesIn, withExactAmounts } from '../../src/client/reply-loss.ts';

const lossesOf = (bytes: Buffer) => lossesIn({ status: 200, headers: {}, body: bytes.toString(), bytes });

it.each([
  '12345678901234567890',
  '9007199254740993',
  '1E400',
  '-1e-400',
  '0.1000000000000000055',
  '123456789.123456789123',
])('the number %s has another value once it is read', (text) => {
  expect(isRounded(text)).toBe(true);
  const [loss] = lossesOf(Buffer.from(`{"data":[{"id":"a,1"},{"id":"b","order":{"paidPrice":${text}}}]}`));
  const became = text === '1E400' ? 'is too large, and became null' : `was rounded to ${Number(text)}`;
  expect(loss).toEqual({ kind: 'digits', finding: `data[1].order.paidPrice is ${text}, which ${became}` });
});

it.each([
  '0',
  '-0',
  '1.0',
  '1e5',
  '1E5',
  '4.50',
  '5e-324',
  '0.1',
  '9007199254740992',
  '1234567890.12',
  '01',
  'abc',
  '',
])('the number %s has the same value, or is no number', (text) => {
  expect(isRounded(text)).toBe(false);
});

test('a number is found wherever it begins, among numbers of any length', () => {
  for (let before = 0; before < 40; before += 1) {
    const body = `{"a":"${'x'.repeat(before)}","b":[1234567.5,20261120,1234567890123456789]}`;
    expect(lossesOf(Buffer.from(body))).toMatchObject([
      { finding: expect.stringMatching(/^b\[2\] is 1234567890123456789,/) },
    ]);
  }
});

test('an amount with more digits than a number keeps is read as its text, and so nothing of it is lost', () => {
  const body = '{"data":[{"amount" : 499.999999999999999999,"n":1},{"amount":1E400},{"amount":6300.10}]}';
  const exact =
    '{"data":[{"amount" : "499.999999999999999999","n":1},{"amount":"1E400"},{"amount":6300.10}]}';
  expect(withExactAmounts(body)).toBe(exact);
  expect(lossesOf(Buffer.from(body))).toEqual([]);
  const text = '{"text":"\\"amount\\":499.999999999999999999","amounts":499.999999999999999999}';
  expect(withExactAmounts(text)).toBe(text);
});

test('digits in texts are no loss', () => {
  expect(
    lossesOf(Buffer.from('{"text":"[12345678901234567890, 1e400]","id":"\\"[9007199254740993"}')),
  ).toEqual([]);
});

test('the first byte that is not UTF-8 is named with its place, also after a replacement that was sent', () => {
  const bytes = Buffer.concat([
    Buffer.from('{"data":[{"id":"1","text":"가\uFFFD"},{"id":"2","text":"'),
    Buffer.from([0xb0, 0xa1]),
    Buffer.from('"}]}'),
  ]);
  expect(lossesOf(bytes)).toEqual([
    {
      kind: 'characters',
      finding: `the reply is not UTF-8 at byte ${bytes.indexOf(0xb0, 40)} (data[1].text); unreadable characters became \uFFFD`,
    },
  ]);
  expect(lossesOf(Buffer.from('{"text":"\uFFFD"}'))).toEqual([]);
});

test('a number after objects and arrays that have ended has its own place', () => {
  const body = '{"a":[{"b":[1,{"c":[]}]},[]],"d":{"e":[true,12345678901234567890]}}';
  expect(lossesOf(Buffer.from(body))).toMatchObject([{ finding: expect.stringMatching(/^d\.e\[1\] is /) }]);
});

test('a reply whose bytes are not kept has lost no characters', () => {
  expect(lossesIn({ status: 200, headers: {}, body: '{"text":"\uFFFD"}' })).toEqual([]);
});
