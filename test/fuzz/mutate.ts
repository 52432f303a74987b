import { pick, type Random } from '../../src/base/random.ts';

/** The longest input, in bytes. */
const lengthMaximum = 16_384;
/** The most changes of one input at once. */
const changesMaximum = 6;

/** What readers of any format decide by. */
const commonWords = [
  '\0',
  '\n',
  '\r',
  '\r\n',
  '"',
  '""',
  ',',
  ';',
  '\t',
  '|',
  "'",
  '{',
  '}',
  '[',
  ']',
  ':',
  '\\',
  '\\u0000',
  '\\ud800',
  'null',
  'true',
  '-1',
  '0',
  '1e400',
  '9007199254740993',
  '1.5',
  '\uFEFF',
  '가',
  '\u2028',
  '😀',
  '&amp;',
  '<',
  '>',
  '/>',
  '__proto__',
  'constructor',
  '{n}',
].map((word) => Buffer.from(word)); // prettier-ignore
const oddBytes = [Buffer.from([0xff]), Buffer.from([0xc3, 0x28]), Buffer.from([0xb0, 0xa1]), Buffer.alloc(4)];

export interface Material {
  readonly random: Random;
  /** Inputs that pieces are taken of. */
  readonly others: readonly Buffer[];
  readonly words: readonly string[];
}

/** An input that differs from another one in a few places. */
export function mutate(input: Buffer, material: Material): Buffer {
  let changed = changeOnce(input, material);
  // Mostly one: of many changes, most only break what the first few would have reached.
  for (let done = 1; done < changesMaximum && material.random() < 0.4; done += 1) {
    changed = changeOnce(changed, material);
  }
  return changed.subarray(0, lengthMaximum);
}

function changeOnce(input: Buffer, { random, others, words }: Material): Buffer {
  const below = (limit: number) => Math.floor(random() * limit);
  const at = below(input.length + 1);
  const end = Math.min(input.length, at + 1 + below(random() < 0.5 ? 4 : 64));
  const replaced = (piece: Buffer) => Buffer.concat([input.subarray(0, at), piece, input.subarray(end)]);
  const inserted = (piece: Buffer) => Buffer.concat([input.subarray(0, at), piece, input.subarray(at)]);
  const piece = input.subarray(at, end);
  const other = others[below(others.length)] ?? input;
  const from = below(other.length);
  const ofOther = other.subarray(from, from + 1 + below(64));
  const known = [...commonWords, ...oddBytes];
  const word =
    words.length > 0 && random() < 0.5
      ? Buffer.from(words[below(words.length)] ?? '')
      : (known[below(known.length)] ?? Buffer.alloc(0));
  const token = tokenAt(input, at);
  const ofOthers = tokenAt(other, from);
  const otherToken = other.subarray(ofOthers.start, ofOthers.end);
  const inPlaceOfToken = (other: Buffer) =>
    Buffer.concat([input.subarray(0, token.start), other, input.subarray(token.end)]);
  return pick<() => Buffer>(random, [
    () => inPlaceOfToken(word),
    () => inPlaceOfToken(word),
    () => inPlaceOfToken(otherToken),
    () => inPlaceOfToken(otherToken),
    () => inPlaceOfToken(Buffer.alloc(0)),
    () => replaced(Buffer.alloc(0)),
    () => replaced(Buffer.from(piece.map((byte) => (random() < 0.5 ? byte ^ (1 << below(8)) : byte)))),
    () => replaced(Buffer.from([below(256)])),
    () => replaced(word),
    () => inserted(word),
    () => inserted(Buffer.concat(Array.from({ length: 1 + below(64) }, () => word))),
    () => inserted(piece),
    () => inserted(ofOther),
    () => replaced(ofOther),
  ])();
}

/** What belongs together in most formats: a quoted text, a number or a word, else one byte. */
const tokens = /"[^"]*"|[\w.+-]+|[\s\S]/g;

/** The token at this place or the one after it. */
function tokenAt(input: Buffer, at: number): { readonly start: number; readonly end: number } {
  const text = input.toString('latin1');
  for (const { index, 0: token } of text.matchAll(tokens)) {
    if (index + token.length > at) return { start: index, end: index + token.length };
  }
  return { start: input.length, end: input.length };
}
