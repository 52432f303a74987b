import { isUtf8 } from 'node:buffer';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../base/json.ts';
import { CanonicalJson } from './canonical-json.ts';

/**
 * The members that can be read from an undecoded record: its id, and the times by which lists can be
 * filtered.
 */
const soughtPaths = ['id', 'createdAt', 'review.createdAt'] as const;
export type SoughtPath = (typeof soughtPaths)[number];

const dataOpening = Buffer.from('"data":[');
/**
 * Replaces the records while the rest of the page is parsed, which proves that they are its data, and nothing
 * else is.
 */
const recordsMark = '\0records';
const [comma, closeBracket, quote, lineBreak] = [0x2c, 0x5d, 0x22, 0x0a];

/**
 * The position of a record on its page, with the comma, bracket or line break after it, and its sought
 * members, as `CanonicalJson` reports them.
 */
interface RecordPlace {
  readonly start: number;
  readonly end: number;
  readonly members: readonly number[];
}

/** Records of a page as lines: each is what the service wrote, and equals its decoded and re-encoded form. */
export class RecordLines {
  readonly #page: Buffer;
  readonly #places: readonly RecordPlace[];

  constructor(page: Buffer, places: readonly RecordPlace[]) {
    this.#page = page;
    this.#places = places;
  }

  get count(): number {
    return this.#places.length;
  }

  get bytes(): Buffer {
    const [start, end] = [this.#places[0]?.start ?? 0, this.#places.at(-1)?.end ?? 0];
    const length = this.#places.reduce((sum, place) => sum + place.end - place.start, 0);
    if (length === end - start) return this.#page.subarray(start, end);
    return Buffer.concat(this.#places.map((place) => this.#page.subarray(place.start, place.end)));
  }

  /** The decoded member of a record; undefined if it has none. */
  valueAt(index: number, path: SoughtPath): Json | undefined {
    const member = 2 * soughtPaths.indexOf(path);
    const [start = -1, end] = this.#places.at(index)?.members.slice(member) ?? [];
    return start < 0 ? undefined : (JSON.parse(this.#page.toString('utf8', start, end)) as Json);
  }

  /** The lines of the wanted records, by index. */
  only(isWanted: (index: number) => boolean): RecordLines {
    return new RecordLines(
      this.#page,
      this.#places.filter((_, index) => isWanted(index)),
    );
  }
}

/** A page without its records. */
export interface PageLines {
  readonly lines: RecordLines;
  /** The page without its records. */
  readonly envelope: JsonObject;
}

/** Recognises the pages of a service by those it read before. */
export class LineReader {
  readonly #json = new CanonicalJson(soughtPaths);

  /**
   * Makes lines of the records of a page, in place: `page` is overwritten. Returns undefined, with `page`
   * unchanged, where a record has no text as its id, or where decoding and encoding would change its bytes:
   * white space between its parts, needless escapes, another notation or rounding of a number, a repeated
   * name. Such a page has to be decoded.
   */
  takeLines(page: Buffer): PageLines | undefined {
    const opening = page.indexOf(dataOpening);
    if (opening < 0 || !isUtf8(page)) return undefined;
    const start = opening + dataOpening.length;
    const places = this.#places(page, start);
    const end = places?.at(-1)?.end;
    if (places === undefined || end === undefined) return undefined;
    const envelope = readEnvelope(page.toString('utf8', 0, start - 1), page.toString('utf8', end));
    if (envelope === undefined) return undefined;
    for (const place of places) page[place.end - 1] = lineBreak;
    return { lines: new RecordLines(page, places), envelope };
  }

  /** The positions of the records of an array; undefined unless all can be printed unchanged. */
  #places(page: Buffer, arrayStart: number): readonly RecordPlace[] | undefined {
    const places: RecordPlace[] = [];
    for (let start = arrayStart; ; ) {
      const end = this.#json.endOfObject(page, start) + 1;
      const members = this.#json.places.slice();
      places.push({ start, end, members });
      if (page[members[0] ?? -1] !== quote) return undefined;
      if (page[end - 1] === closeBracket) return places;
      if (page[end - 1] !== comma) return undefined;
      start = end;
    }
  }
}

/** The page without its records; undefined if the text between these parts was not its data. */
function readEnvelope(before: string, after: string): JsonObject | undefined {
  const envelope = parseJson(before + JSON.stringify(recordsMark) + after);
  return isJsonObject(envelope) && envelope['data'] === recordsMark ? { ...envelope, data: [] } : undefined;
}
