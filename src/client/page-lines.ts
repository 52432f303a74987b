import { isUtf8 } from 'node:buffer';
import { CanonicalJson } from '../base/canonical-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';

/** What can be asked of a record that is passed on: which one it is, and the times that lists can be narrowed to. */
const soughtPaths = ['id', 'createdAt', 'review.createdAt'] as const;
export type SoughtPath = (typeof soughtPaths)[number];

const dataOpening = Buffer.from('"data":[');
/**
 * Takes the place of the records while the rest of the page is read, which shows that they are its data and nothing
 * else is.
 */
const recordsMark = '\0records';
const [comma, closeBracket, quote, lineBreak] = [0x2c, 0x5d, 0x22, 0x0a];

/**
 * Where a record is on its page, with the comma, bracket or line break behind it, and its sought members, as
 * `CanonicalJson` gives them.
 */
interface RecordPlace {
  readonly start: number;
  readonly end: number;
  readonly members: readonly number[];
}

/** Records of a page as lines: each is what the service wrote, and what decoding it and writing it again would give. */
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

  /** What a record has there, decoded; undefined where it has nothing. */
  valueAt(index: number, path: SoughtPath): Json | undefined {
    const member = 2 * soughtPaths.indexOf(path);
    const [start = -1, end] = this.#places.at(index)?.members.slice(member) ?? [];
    return start < 0 ? undefined : (JSON.parse(this.#page.toString('utf8', start, end)) as Json);
  }

  /** Those of them that are wanted, by their indices. */
  only(isWanted: (index: number) => boolean): RecordLines {
    return new RecordLines(
      this.#page,
      this.#places.filter((_, index) => isWanted(index)),
    );
  }
}

/** A page whose records were taken from it. */
export interface PageLines {
  readonly lines: RecordLines;
  /** The page without its records. */
  readonly envelope: JsonObject;
}

/** Knows the pages of a service by those that it read before. */
export class LineReader {
  readonly #json = new CanonicalJson(soughtPaths);

  /**
   * Makes lines of the records of a page, in place: `page` is a page no more. Undefined, and `page` as it was, where a
   * record has no text for its id, or decoded and written again would be other bytes: because of white space between
   * its parts, a character escaped without need, a number in another form or rounded, a repeated name. Such a page is
   * to be decoded.
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

  /** Where the records of an array are; undefined unless all can be passed on. */
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

/** The page without its records; undefined where what stood between these texts was not its data. */
function readEnvelope(before: string, after: string): JsonObject | undefined {
  try {
    const envelope: unknown = JSON.parse(before + JSON.stringify(recordsMark) + after);
    return isJsonObject(envelope) && envelope['data'] === recordsMark ? { ...envelope, data: [] } : undefined;
  } catch {
    return undefined;
  }
}
