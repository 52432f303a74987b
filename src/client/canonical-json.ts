import { isRounded } from '../base/json.ts';

/*
 * JSON that is written exactly as `JSON.stringify` would write it need not be decoded and written again. One pass over
 * its bytes decides that, in a fraction of the time of decoding. Numbers that decoding would round also stay exact.
 */

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;
const space = 0x20;
const [zero, nine] = [0x30, 0x39];
const [openBrace, closeBrace] = [0x7b, 0x7d];
const [openBracket, closeBracket] = [0x5b, 0x5d];
const shortEscapes: ReadonlySet<number> = new Set(Buffer.from('"\\bfnrt'));
const numeric: ReadonlySet<number | undefined> = new Set(Buffer.from('0123456789+-.eE'));
const literals = ['true', 'false', 'null'].map((word) => Buffer.from(word));

/** The maximum number of digits of a whole number that is always exact. */
const exactDigits = 15;
/** The limits of nesting depth and remembered names. JSON beyond them counts as written differently. */
const depthMaximum = 100;
const namesMaximum = 2000;

/**
 * A name, and the names that followed it at the same place in earlier objects. These are known to be well-formed and
 * unique.
 */
class Name {
  /** With its quotes and colon; empty for the start of an object. */
  readonly text: string;
  readonly bytes: Uint8Array;
  /** The names that lead to its object, outermost first. */
  readonly object: string;
  readonly before: Name | undefined;
  /** The index of the sought member with this name; -1 if there is none. */
  readonly sought: number;
  readonly following = new Map<string, Name>();
  latest: Name | undefined;
  /** The start of the object that is its value, or of the objects in the array that is its value. */
  inner: Name | undefined;
  element: Name | undefined;

  constructor(object: string, text = '', before?: Name, sought = -1) {
    this.object = object;
    this.text = text;
    this.bytes = Buffer.from(text);
    this.before = before;
    this.sought = sought;
  }

  get path(): string {
    return this.object + this.text;
  }
}

/**
 * Finds the ends of values that `JSON.stringify` would write unchanged after `JSON.parse`, apart from rounded numbers.
 * Remembers the names of members to skip similar values faster. Requires that the bytes are UTF-8.
 */
export class CanonicalJson {
  /** The start and end of each sought member of the last object, in order; -1 for missing ones. */
  readonly places: number[];
  readonly #sought: readonly string[];
  readonly #beginning = new Name('');
  #names = 0;

  /** `sought` are names of members, with dots for nested ones. Members in arrays are not found. */
  constructor(sought: readonly string[] = []) {
    this.#sought = sought.map((path) => path.split('.').map(written).join(''));
    this.places = sought.flatMap(() => [-1, -1]);
  }

  /**
   * The index after the object that begins at `start`; -1 if there is none, or if decoding and encoding would change
   * more of its bytes than rounded numbers.
   */
  endOfObject(bytes: Buffer, start: number): number {
    this.places.fill(-1);
    return bytes[start] === openBrace ? this.#object(bytes, start + 1, this.#beginning, 1) : -1;
  }

  #value(bytes: Buffer, start: number, name: Name, depth: number): number {
    const first = bytes[start] ?? 0;
    if (first === quote) return endOfString(bytes, start + 1);
    if (first < openBracket) return endOfNumber(bytes, start);
    if (first === openBrace) {
      name.inner ??= new Name(name.path);
      return this.#object(bytes, start + 1, name.inner, depth + 1);
    }
    if (first === openBracket) {
      name.element ??= new Name(`${name.path}[`);
      return this.#array(bytes, start + 1, name.element, depth + 1);
    }
    const literal = literals.find((word) => isAt(bytes, start, word));
    return literal === undefined ? -1 : start + literal.length;
  }

  #object(bytes: Buffer, start: number, beginning: Name, depth: number): number {
    if (bytes[start] === closeBrace) return start + 1;
    if (depth > depthMaximum) return -1;
    let before = beginning;
    for (let at = start; ; at += 1) {
      const name = this.#name(bytes, at, before);
      if (name === undefined) return -1;
      at += name.bytes.length;
      const end = this.#value(bytes, at, name, depth);
      if (name.sought >= 0) {
        this.places[2 * name.sought] = at;
        this.places[2 * name.sought + 1] = end;
      }
      at = end;
      if (bytes[at] === closeBrace) return at + 1;
      if (bytes[at] !== comma) return -1;
      before = name;
    }
  }

  #array(bytes: Buffer, start: number, name: Name, depth: number): number {
    if (bytes[start] === closeBracket) return start + 1;
    if (depth > depthMaximum) return -1;
    for (let at = start; ; at += 1) {
      at = this.#value(bytes, at, name, depth);
      if (bytes[at] === closeBracket) return at + 1;
      if (bytes[at] !== comma) return -1;
    }
  }

  /**
   * The name that begins at `start`; undefined if there is none, if it is repeated, or if decoding would move it to the
   * front.
   */
  #name(bytes: Buffer, start: number, before: Name): Name | undefined {
    if (before.latest !== undefined && isAt(bytes, start, before.latest.bytes)) return before.latest;
    const end = bytes[start] === quote ? endOfString(bytes, start + 1) : -1;
    if (bytes[end] !== colon) return undefined;
    const text = bytes.toString('utf8', start, end + 1);
    const known = before.following.get(text);
    if (known === undefined && (isIndex(text) || isRepeated(text, before))) return undefined;
    before.latest = known ?? this.#added(text, before);
    return before.latest;
  }

  #added(text: string, before: Name): Name | undefined {
    this.#names += 1;
    if (this.#names > namesMaximum) return undefined;
    const name = new Name(before.object, text, before, this.#sought.indexOf(before.object + text));
    before.following.set(text, name);
    return name;
  }
}

/** A name in its JSON form, with its colon. */
function written(name: string): string {
  return `${JSON.stringify(name)}:`;
}

function isAt(bytes: Buffer, start: number, wanted: Uint8Array): boolean {
  for (let index = 0; index < wanted.length; index += 1) {
    if (bytes[start + index] !== wanted[index]) return false;
  }
  return true;
}

/** Objects list their numeric members first, in whatever order they were written. */
function isIndex(text: string): boolean {
  return /^"\d+":$/.test(text);
}

function isRepeated(text: string, before: Name): boolean {
  for (let name: Name | undefined = before; name !== undefined; name = name.before) {
    if (name.text === text) return true;
  }
  return false;
}

/** The index after the closing quote; -1 if there is none, or if `JSON.stringify` would write an escape differently. */
function endOfString(bytes: Buffer, start: number): number {
  for (let at = start; ; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte > backslash) continue;
    if (byte === quote) return at + 1;
    if (byte < space) return -1;
    if (byte !== backslash) continue;
    at += 1;
    if (!shortEscapes.has(bytes[at] ?? 0)) return -1;
  }
}

function endOfNumber(bytes: Buffer, start: number): number {
  let at = start;
  while (isDigit(bytes[at])) at += 1;
  const isPlain = at - start <= exactDigits && (bytes[start] !== zero || at === start + 1);
  if (isPlain && at > start && !isNumeric(bytes[at])) return at;
  while (isNumeric(bytes[at])) at += 1;
  const text = bytes.toString('latin1', start, at);
  return String(Number(text)) === text || isRounded(text) ? at : -1;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= nine;
}

function isNumeric(byte: number | undefined): boolean {
  return numeric.has(byte);
}
