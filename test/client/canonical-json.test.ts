import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { isJsonObject } from '../../src/base/json.ts';
import { CanonicalJson } from '../../src/client/canonical-json.ts';
import { objectTexts } from '../base/json-texts.ts';
import { withoutRounded } from '../base/without-rounded.ts';

/** True if the whole text is accepted as one object in the form that `JSON.stringify` writes. */
function isPassed(text: string | Buffer, json = new CanonicalJson()): boolean {
  const bytes = Buffer.from(text);
  return json.endOfObject(bytes, 0) === bytes.length;
}

const writtenAgain = (text: string) => JSON.stringify(JSON.parse(text));

describe('an object in JSON', () => {
  test('is passed only if it is, but for rounded numbers, what decoding it and writing it again gives', () => {
    const json = new CanonicalJson();
    fc.assert(
      fc.property(objectTexts, (text) => {
        if (isPassed(text, json)) expect(withoutRounded(text)).toBe(writtenAgain(withoutRounded(text)));
      }),
      { numRuns: 2000 },
    );
  });

  test('is passed whenever JSON.stringify wrote it, whatever its names have been before, unless they are numbers', () => {
    const value = fc.dictionary(
      fc.string().filter((name) => !/^\d+$/.test(name)),
      fc.jsonValue(),
    );
    // Few enough that all their names are remembered.
    const values = fc.array(value, { maxLength: 5 });
    fc.assert(
      fc.property(values, (some) => {
        const json = new CanonicalJson();
        for (const text of some.map((one) => JSON.stringify(one)))
          if (!/\\u|"\d+":/.test(text)) expect(isPassed(text, json)).toBe(true);
      }),
    );
  });

  test('is not passed when any byte of it is missing or another', () => {
    const text = '{"id":"r-1","rating":4.5,"images":[{"url":"a\\n"},null],"isVisible":true,"가":{}}';
    const bytes = Buffer.from(text);
    const json = new CanonicalJson();
    expect(isPassed(bytes, json)).toBe(true);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), fc.boolean(), (at, byte, isCut) => {
        const other = isCut
          ? Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)])
          : Buffer.from(bytes);
        if (!isCut) other[at] = byte;
        const decoded = other.toString();
        if (Buffer.compare(Buffer.from(decoded), other) !== 0 || !isPassed(other, json)) return;
        expect(withoutRounded(decoded)).toBe(writtenAgain(withoutRounded(decoded)));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['white space between its parts', '{"a": 1}'],
    ['a line break between its parts', '{"a":1,\n"b":2}'],
    ['a name that comes twice', '{"a":1,"a":1}'],
    ['a name that comes twice, the second time in another spelling', '{"a":1,"\\u0061":1}'],
    ['names that are numbers', '{"b":1,"0":1}'],
    ['a number in another form', '{"a":1.0}'],
    ['minus nothing', '{"a":-0}'],
    ['digits that are no number', '{"a":012345678901234567890}'],
    ['an escape without need', '{"a":"\\/"}'],
    ['half a character', '{"a":"\\ud83d"}'],
    ['no end', '{"a":{"b":[1'],
  ])('is not passed with %s', (_, text) => {
    expect(isPassed(text)).toBe(false);
  });

  it.each(['12345678901234567890', '9007199254740993', '1E400', '-0.1000000000000000055'])(
    'is passed with the number %s, whose digits decoding would lose',
    (number) => {
      expect(isPassed(`{"a":${number},"b":[${number}]}`)).toBe(true);
    },
  );

  test('is not passed when it is nested without end', () => {
    expect(isPassed(`{"a":${'['.repeat(100_000)}`)).toBe(false);
    expect(isPassed(`${'{"a":'.repeat(100_000)}`)).toBe(false);
  });
});

test('the sought members of an object are found where they are, and none of their names elsewhere', () => {
  const json = new CanonicalJson(['id', 'name', 'name.id']);
  const found = (bytes: Buffer, at: number) => {
    const [start = -1, end] = json.places.slice(at);
    return start < 0 ? undefined : JSON.parse(bytes.toString('utf8', start, end));
  };
  const memberOf = (value: unknown, name: string) =>
    isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  const nested = objectTexts.map((text) => `{"list":[${text}],"name":${text},"more":${text}}`);
  fc.assert(
    fc.property(fc.oneof(objectTexts, nested), (text) => {
      if (!isPassed(text, json)) return;
      const value = JSON.parse(text);
      const name = memberOf(value, 'name');
      const expected = [memberOf(value, 'id'), name, memberOf(name, 'id')];
      expect([0, 2, 4].map((at) => found(Buffer.from(text), at))).toEqual(expected);
    }),
    { numRuns: 2000 },
  );
});
