import type { Random } from '../../src/base/random.ts';
import { bytesOf } from './mutate.ts';
import type { Span, Syntax } from './syntax.ts';
import { type Comparison, fuzzMembers } from './tracing.ts';

/** The most inputs generated from the comparisons of one input. */
const replacedMaximum = 32;
/** How many times a replacement is tried, in different inputs. */
const triesMaximum = 8;
/** The most learned words from all inputs, and their length. */
const wordsMaximum = 512;
const wordLength = { least: 2, most: 40 } as const;

/** Knowledge from the comparisons of a reader: replacements for parts of an input, and words. */
export class Operands {
  readonly words: string[] = [];
  readonly #random: Random;
  /** Number of tries for each comparison and each of its replacements. */
  readonly #tried = new Map<string, number>();

  constructor(random: Random) {
    this.#random = random;
  }

  learn(comparisons: readonly Comparison[]): void {
    for (const [, ...operands] of comparisons) {
      for (const word of bytesOf(operands.filter((operand) => typeof operand === 'string'))) {
        const isWord = word.length >= wordLength.least && word.length <= wordLength.most;
        if (!isWord || this.words.includes(word)) continue;
        if (this.words.length < wordsMaximum) this.words.push(word);
        else this.words[Math.floor(this.#random() * wordsMaximum)] = word;
      }
    }
  }

  /**
   * Inputs in which one operand of a comparison replaces the other, as in RedQueen, because a compared value is usually
   * a part of the input. The least tried replacements come first.
   */
  replacements(input: string, comparisons: readonly Comparison[], syntax: Syntax): readonly string[] {
    const made = new Map<string, string>();
    const spans = syntax.spansOf(input);
    const values = spans.flatMap(({ start, end, kind }) => {
      const text = kind === 'value' ? syntax.read(input.slice(start, end)) : undefined;
      return text === undefined ? [] : [{ start, end, text }];
    });
    const seen = new Set<string>();
    for (const [place, one, other] of comparisons) {
      for (const [from, to] of [...spellings(one, other), ...spellings(other, one)]) {
        const key = `${place} ${from} ${to}`;
        if (seen.has(key)) continue;
        seen.add(key);
        const at = this.#placeOf(from, input, spans);
        if (at !== undefined) made.set(key, input.slice(0, at) + to + input.slice(at + from.length));
        const holding = values.filter(({ text }) => text.includes(from));
        const value = holding[Math.floor(this.#random() * holding.length)];
        if (value === undefined) continue;
        const { start, end, text } = value;
        const written = syntax.written(text.replace(from, () => to));
        made.set(`${key} written`, input.slice(0, start) + written + input.slice(end));
      }
      const name = fuzzMembers[place];
      const value = missing(one, other) ?? missing(other, one);
      if (name === undefined || value === undefined) continue;
      for (const [index, span] of spans.entries()) {
        const text = syntax.withMember?.(input, span, { name, value: syntax.written(value) });
        if (text !== undefined) made.set(`${place} ${index} ${value}`, text);
      }
    }
    return this.#leastTried([...made]).map(({ text }) => text);
  }

  /** Comparisons take turns, since one in a loop makes many replacements. */
  #leastTried(made: readonly (readonly [key: string, text: string])[]) {
    const tried = (key: string) => this.#tried.get(key) ?? 0;
    const offered = new Map<string, number>();
    const ranked = made.flatMap(([key, text]) => {
      const [place = ''] = key.split(' ', 1);
      if (tried(key) >= triesMaximum) return [];
      const rank = offered.get(place) ?? tried(place);
      offered.set(place, rank + 1);
      return [{ key, place, text, rank: rank + tried(key) }];
    });
    const chosen = ranked.toSorted((one, other) => one.rank - other.rank).slice(0, replacedMaximum);
    for (const { key, place } of chosen) {
      this.#tried.set(key, tried(key) + 1);
      this.#tried.set(place, tried(place) + 1);
    }
    return chosen;
  }

  /** A position of this piece, usually one where it is a whole part. */
  #placeOf(piece: string, input: string, spans: readonly Span[]): number | undefined {
    const wholes =
      this.#random() < 0.8 ? spans.filter(({ start, end }) => input.slice(start, end) === piece) : [];
    const whole = wholes[Math.floor(this.#random() * wholes.length)];
    if (whole !== undefined) return whole.start;
    const behind = input.indexOf(piece, Math.floor(this.#random() * input.length));
    const at = behind < 0 ? input.indexOf(piece) : behind;
    return at < 0 ? undefined : at;
  }
}

/** The text that was compared with a missing value. */
function missing(one: unknown, other: unknown): string | undefined {
  return one == null && typeof other === 'string' ? other : undefined;
}

/** The forms in which an operand may appear in the input, each with the other operand in the same form. */
function spellings(one: unknown, other: unknown): readonly (readonly [string, string])[] {
  if (typeof one === 'string' && typeof other === 'string') {
    if (one.length < 2 && other.length < 2) return [];
    const [from = '', to = ''] = bytesOf([one, other]);
    return from === '' ? [] : [[from, to]];
  }
  if (typeof one !== 'number' || typeof other !== 'number') return [];
  const decimals = [other, other + 1, other - 1].map((number) => [String(one), String(number)] as const);
  const areBytes = [one, other].every(
    (number) => Number.isInteger(number) && number >= 0 && number < 2 ** 32,
  );
  return areBytes
    ? [...decimals, ...[2, 4].map((bytes) => [littleEndian(one, bytes), littleEndian(other, bytes)] as const)]
    : decimals;
}

function littleEndian(number: number, bytes: number): string {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(number);
  return buffer.toString('latin1', 0, bytes);
}
