import { pick, type Random } from '../../src/base/random.ts';
import type { Span, Syntax } from './syntax.ts';

/* Inputs are strings in which each character is a byte. */

/** The longest input, in bytes. */
const lengthMaximum = 16_384;
/** The most changes of one input at once. */
const changesMaximum = 6;
const repetitionsMaximum = 64;

/** Texts that readers of any format recognize. */
const commonWords = bytesOf([
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
]); // prettier-ignore
const oddBytes = ['\xff', '\xc3\x28', '\xb0\xa1', '\0\0\0\0'];
const known = [...commonWords, ...oddBytes];

/** Encodes texts as strings of bytes. */
export function bytesOf(texts: readonly string[]): readonly string[] {
  return texts.map((text) => Buffer.from(text).toString('latin1'));
}

export interface Material {
  readonly random: Random;
  /** Inputs from which parts are copied. */
  readonly others: readonly string[];
  /** Lists of words; each list is chosen equally often. */
  readonly words: readonly (readonly string[])[];
  readonly syntax: Syntax;
}

/** Changes an input in a few places. */
export function mutate(input: string, material: Material): string {
  let changed = changeOnce(input, material).slice(0, lengthMaximum);
  // Usually only one change: many changes mostly break what the first few would have reached.
  for (let done = 1; done < changesMaximum && material.random() < 0.4; done += 1) {
    changed = changeOnce(changed, material).slice(0, lengthMaximum);
  }
  return changed;
}

function changeOnce(input: string, material: Material): string {
  const spans = material.random() < 0.75 ? material.syntax.spansOf(input) : [];
  return spans.length > 0 ? changePart(input, spans, material) : changeBytes(input, material);
}

/** Changes a part known to the syntax, so that the rest stays readable. */
function changePart(input: string, spans: readonly Span[], material: Material): string {
  const { random, syntax } = material;
  const span = spans[Math.floor(random() * spans.length)];
  if (span === undefined) return input;
  const { start, end, separator, kind } = span;
  const part = input.slice(start, end);
  const instead = (piece: string) => input.slice(0, start) + piece + input.slice(end);
  const other = () => otherPart(input, kind, material);
  const repetitions = () => 1 + Math.floor(random() * (random() < 0.5 ? 3 : repetitionsMaximum));
  const moves: readonly (() => string)[] = [
    () => instead(other()),
    () => instead(part + separator + other()),
    () => instead((separator + part).repeat(repetitions() + 1).slice(separator.length)),
    () =>
      input.startsWith(separator, end)
        ? input.slice(0, start) + input.slice(end + separator.length)
        : instead(''),
  ];
  const word = () => instead(syntax.written(wordOf(material)));
  const values: readonly (() => string)[] = [
    word,
    () => instead(syntax.oddities[Math.floor(random() * syntax.oddities.length)] ?? ''),
    () => {
      const [before, after] = syntax.wrappers[Math.floor(random() * syntax.wrappers.length)] ?? ['', ''];
      const count = repetitions();
      return instead(before.repeat(count) + part + after.repeat(count));
    },
    () => instead(longer(part, repetitions(), random)),
    () => instead(longer(part, repetitions(), random)),
    () => instead(otherNumber(part, random)),
    () => {
      const [name, value, count] = [wordOf(material), other(), repetitions()];
      let text = input;
      for (let added = 0; added < count; added += 1) {
        text =
          syntax.withMember?.(
            text,
            { ...span, end: end + text.length - input.length },
            { name: added === 0 ? name : `${name}${added}`, value },
          ) ?? text;
      }
      return text === input ? word() : text;
    },
  ];
  const changes = kind === 'value' ? [...moves, ...values] : kind === 'name' ? [...moves, word] : moves;
  return changes[Math.floor(random() * changes.length)]?.() ?? input;
}

/** A part of this kind from a random input. */
function otherPart(input: string, kind: Span['kind'], { random, syntax, others }: Material): string {
  const other = others[Math.floor(random() * others.length)] ?? input;
  const parts = syntax.spansOf(other).filter((span) => span.kind === kind);
  const part = parts[Math.floor(random() * parts.length)];
  return part === undefined ? '' : other.slice(part.start, part.end);
}

/** Repeats some characters inside a part, within its quotes. */
function longer(part: string, times: number, random: Random): string {
  const margin = part.length > 2 && part.startsWith('"') && part.endsWith('"') ? 1 : 0;
  const at = margin + Math.floor(random() * (part.length - 2 * margin));
  const until = Math.min(part.length - margin, at + 1 + (random() < 0.5 ? 0 : Math.floor(random() * 4)));
  return part.slice(0, at) + part.slice(at, until).repeat(times + 1) + part.slice(until);
}

/** Replaces the first number of a part. */
function otherNumber(part: string, random: Random): string {
  return part.replace(/-?\d+/, (digits) => {
    const number = Number(digits);
    return String(
      pick<number | string>(random, [
        number + 1,
        number - 1,
        -number,
        number * 2,
        Math.floor(random() * 1000),
        `${digits}.5`,
      ]),
    );
  });
}

function wordOf({ random, words }: Material): string {
  const lists = [known, ...words].filter(({ length }) => length > 0);
  const list = lists[Math.floor(random() * lists.length)] ?? known;
  return list[Math.floor(random() * list.length)] ?? '';
}

/** Changes arbitrary bytes. */
function changeBytes(input: string, material: Material): string {
  const { random, others } = material;
  const below = (limit: number) => Math.floor(random() * limit);
  const at = below(input.length + 1);
  const end = Math.min(input.length, at + 1 + below(random() < 0.5 ? 4 : 64));
  const replaced = (piece: string) => input.slice(0, at) + piece + input.slice(end);
  const inserted = (piece: string) => input.slice(0, at) + piece + input.slice(at);
  const piece = input.slice(at, end);
  const other = others[below(others.length)] ?? input;
  const from = below(other.length);
  const ofOther = other.slice(from, from + 1 + below(64));
  const word = wordOf(material);
  return pick<() => string>(random, [
    () => replaced(''),
    () => replaced(piece.replace(/[\s\S]/g, (byte) => (random() < 0.5 ? otherBit(byte, below(8)) : byte))),
    () => input.slice(0, at) + String.fromCharCode(below(256)) + input.slice(at + 1),
    () => replaced(word),
    () => inserted(word),
    () => inserted(word.repeat(1 + below(repetitionsMaximum))),
    () => inserted(piece),
    () => inserted(ofOther),
    () => replaced(ofOther),
    // The beginning of one input and the end of another.
    () => input.slice(0, at) + other.slice(from),
  ])();
}

function otherBit(byte: string, bit: number): string {
  return String.fromCharCode(byte.charCodeAt(0) ^ (1 << bit));
}
