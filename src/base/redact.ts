/** Every part of a secret with at least this many characters is redacted. A shorter secret is redacted as a whole. */
const pieceLength = 8;
/** A shorter secret may occur as a word in any text. */
const secretLengthMinimum = 4;

/** The characters from `start` to before `end`. */
type Range = readonly [start: number, end: number];

/**
 * Removes the secrets from `text`, and any 8 or more consecutive characters of them, even escaped for a web page, an
 * address or JSON; for messages that quote foreign text. Takes linear time.
 */
export function redactSecrets(text: string, secrets: Iterable<string>): string {
  const known = [...secrets].filter((secret) => secret.length >= secretLengthMinimum);
  if (known.length === 0) return text;
  const unescaped = readEscapes(text);
  const ranges = known.flatMap((secret) => [
    ...rangesOf(secret, text),
    ...(unescaped === undefined
      ? []
      : rangesOf(secret, unescaped.text).map(
          ([start, end]): Range => [unescaped.placeOf(start), unescaped.placeOf(end)],
        )),
  ]);
  let shown = '';
  let from = 0;
  for (const [start, end] of merged(ranges)) {
    shown += `${text.slice(from, start)}[redacted]`;
    from = end;
  }
  return shown + text.slice(from);
}

/** The ranges of `text` that occur in `secret`. */
function rangesOf(secret: string, text: string): Range[] {
  const length = Math.min(secret.length, pieceLength);
  const pieces = new Set<string>();
  for (let at = 0; at + length <= secret.length; at += 1) pieces.add(secret.slice(at, at + length));
  const ranges: Range[] = [];
  for (let at = 0; at + length <= text.length; at += 1) {
    if (pieces.has(text.slice(at, at + length))) ranges.push([at, at + length]);
  }
  return ranges;
}

/** Merges ranges, so that they are sorted and neither touch nor overlap. */
function merged(ranges: readonly Range[]): Range[] {
  const apart: Range[] = [];
  for (const [start, end] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = apart.at(-1);
    if (last !== undefined && start <= last[1]) apart[apart.length - 1] = [last[0], Math.max(last[1], end)];
    else apart.push([start, end]);
  }
  return apart;
}

/** The escapes of special characters in addresses, web pages and JSON. */
const escapes = /%([0-9a-f]{2})|&#x([0-9a-f]{1,4});|&#(\d{1,5});|&(\w{2,6});|\\u([0-9a-f]{4})|\\(["/\\])/gi;

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  plus: '+',
  sol: '/',
  equals: '=',
  colon: ':',
};

/** The unescaped `text`, and the position of each of its characters in the original; undefined without escapes. */
function readEscapes(text: string) {
  let read = '';
  const places: number[] = [];
  let from = 0;
  const copy = (end: number) => {
    for (let at = from; at < end; at += 1) places.push(at);
    read += text.slice(from, end);
  };
  for (const written of text.matchAll(escapes)) {
    const character = characterOf(written);
    if (character === undefined) continue;
    copy(written.index);
    places.push(written.index);
    read += character;
    from = written.index + written[0].length;
  }
  if (from === 0) return undefined;
  copy(text.length);
  return { text: read, placeOf: (at: number) => places[at] ?? text.length };
}

function characterOf([, percent, hex, decimal, name, json, itself]: readonly (string | undefined)[]):
  | string
  | undefined {
  const hexadecimal = percent ?? hex ?? json;
  if (hexadecimal !== undefined) return String.fromCharCode(Number.parseInt(hexadecimal, 16));
  if (decimal !== undefined) return String.fromCharCode(Number(decimal));
  return name === undefined ? itself : entities[name.toLowerCase()];
}
