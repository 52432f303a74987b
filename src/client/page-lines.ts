import { isUtf8 } from 'node:buffer';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../base/json.ts';
import { CanonicalJson } from './canonical-json.ts';

/** The members that can be read from an undecoded record: its id, and the times that lists can be filtered by. */
const soughtPaths = ['id', 'createdAt', 'review.createdAt'] as const;
export type SoughtPath = (typeof soughtPaths)[number];

const dataOpening = Buffer.from('"data":[');
/** Replaces the records while the rest of the page is parsed. This proves that they are its data, and nothing else. */
const recordsMark = '\0records';
const [comma, closeBracket, quote, lineBreak] = [0x2c, 0x5d, 0x22, 0x0a];

/**
 * The position of a record on its page, including the comma, bracket or line break after it, and its sought members, as
 * reported by `CanonicalJson`.
 */
interface RecordPlace {
  readonly start: number;
  readonly end: number;
  readonly members: readonly number[];
}

/**
 * The records of a page as lines: exactly as the service wrote them, and equal to their decoded and re-encoded form.
 */
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

  /** The decoded member of a record; undefined if it is missing. */
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

/** A page with its records as lines. */
export interface PageLines {
  readonly lines: RecordLines;
  /** The page without its records. */
  readonly envelope: JsonObject;
}

/** Recognizes the pages of a service by their similarity to earlier ones. */
export class LineReader {
  readonly #json = new CanonicalJson(soughtPaths);

  /**
   * Converts the records of a page to lines, in place: `page` is overwritten. Returns undefined and leaves `page`
   * unchanged if the page has to be decoded: the id of a record is not a text, or decoding and encoding would change
   * its bytes (white space between its parts, needless escapes, another notation or rounding of a number, a repeated
   * name).
   */
  readLines(page: Buffer): PageLines | undefined {
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
