import { isUtf8 } from 'node:buffer';
import type { CanonicalJson } from '../base/canonical-json.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';

/** The records of a page as lines: each is what the service wrote, and what decoding it and writing it again would give. */
export interface PageLines {
  readonly bytes: Buffer;
  /** Where in `bytes` each line ends, its line break included. */
  readonly ends: readonly number[];
  /** The ids of the first record and of the last. */
  readonly outerIds: readonly unknown[];
  /** The page without its records. */
  readonly envelope: JsonObject;
}

const dataOpening = Buffer.from('"data":[');
/** Takes the place of the records while the rest of the page is read, which shows that they are its data and nothing else is. */
const recordsMark = '\0records';
const [comma, closeBracket, quote, lineBreak] = [0x2c, 0x5d, 0x22, 0x0a];

/**
 * Makes lines of the records of a page, in place: `page` is a page no more. Undefined, and `page` as it was, where a record has no text
 * for its id, or decoded and written again would be other bytes: because of white space between its parts, a character
 * escaped without need, a number in another form or rounded, a repeated name. Such a page is to be decoded.
 */
export function takeLines(page: Buffer, json: CanonicalJson): PageLines | undefined {
  const opening = page.indexOf(dataOpening);
  if (opening < 0 || !isUtf8(page)) return undefined;
  const start = opening + dataOpening.length;
  const { ends, ids } = findRecords(page, start, json);
  const [first, last, end] = [ids[0], ids.at(-1), ends.at(-1)];
  if (first === undefined || last === undefined || end === undefined) return undefined;
  const envelope = readEnvelope(page.toString('utf8', 0, start - 1), page.toString('utf8', end));
  if (envelope === undefined) return undefined;
  for (const lineEnd of ends) page[lineEnd - 1] = lineBreak;
  return {
    bytes: page.subarray(start, end),
    ends: ends.map((lineEnd) => lineEnd - start),
    outerIds: [first, last].map(([from, to]) => JSON.parse(page.toString('utf8', from, to))),
    envelope,
  };
}

/** Where the records of an array end, each with the comma or bracket behind it, and where their ids are; nothing unless all can be passed on. */
function findRecords(page: Buffer, start: number, json: CanonicalJson) {
  const ends: number[] = [];
  const ids: (readonly [start: number, end: number])[] = [];
  const onMember = (name: string, valueStart: number, valueEnd: number) => {
    if (name === '"id":' && page[valueStart] === quote) ids.push([valueStart, valueEnd]);
  };
  for (let at = start; ; ) {
    at = json.endOfObject(page, at, onMember) + 1;
    ends.push(at);
    const next = ids.length === ends.length ? page[at - 1] : undefined;
    if (next === closeBracket) return { ends, ids };
    if (next !== comma) return { ends: [], ids: [] };
  }
}

/** The page without its records; undefined where what stood between these texts was not its data. */
function readEnvelope(before: string, after: string): JsonObject | undefined {
  try {
    const envelope: unknown = JSON.parse(before + JSON.stringify(recordsMark) + after);
    return isJsonObject(envelope) && envelope['data'] === recordsMark ? { ...envelope, data: [] } : undefined;
  } catch {
    return undefined;
  }
}
