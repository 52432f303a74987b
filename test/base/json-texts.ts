import fc from 'fast-check';

/*
 * JSON as other programs may write it: every value in every spelling, with optional white space, repeated names and
 * numeric names.
 */

const characters = fc.oneof(
  fc.string({ maxLength: 6, unit: 'binary' }).map((text) => JSON.stringify(text).slice(1, -1)),
  fc.constantFrom('가', '\u2028', '😀', '\\"', '\\\\', '\\/', '\\b', '\\n', '\\u0041', '\\u00e9', '\\u000a'),
  fc.constantFrom('\\u0007', '\\u001F', '\\ud83d', '\\uD83D\\uDE00', '\u007f', "'", '{', '[', ',', ':'),
);
const quoted = (text: string) => `"${text}"`;
const strings = fc.array(characters, { maxLength: 5 }).map((pieces) => quoted(pieces.join('')));
const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.integer().map(String),
  fc.constantFrom('0', '-0', '1.0', '4.50', '1e5', '1E5', '1e+21', '1e21', '1e400', '-1e-400', '5e-324'),
  fc.constantFrom(
    '12345678901234567890',
    '9007199254740993',
    '0.1',
    '1e-7',
    '0.0000001',
    '100000000000000000',
  ),
);
const names = fc.oneof(
  strings,
  fc.constantFrom(
    '"id"',
    '"id"',
    '"data"',
    '"0"',
    '"10"',
    '"01"',
    '"-1"',
    '"__proto__"',
    '"name"',
    '"\\u0069d"',
  ),
);
const spaces = fc.constantFrom('', '', '', '', '', ' ', '\n', '\r\n\t');

const spaced = (texts: fc.Arbitrary<string>) =>
  fc.tuple(spaces, texts, spaces).map((pieces) => pieces.join(''));

const { object } = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('true', 'false', 'null', '""', '{}', '[]'),
    numbers,
    strings,
    tie('object'),
    tie('array'),
  ),
  object: fc
    .array(fc.tuple(spaced(names), spaced(tie('value'))), { maxLength: 5 })
    .map((members) => `{${members.map(([name, member]) => `${name}:${member}`).join(',')}}`),
  array: fc.array(spaced(tie('value')), { maxLength: 4 }).map((elements) => `[${elements.join(',')}]`),
}));

/** Objects in such JSON. */
export const objectTexts = object;
