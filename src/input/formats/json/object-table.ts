import {
  isDeeperThan,
  isJsonObject,
  type Json,
  type JsonObject,
  withExactNumbers,
} from '../../../base/json.ts';
import { type Cell, refuse } from '../../records/cell.ts';
import type { Fault } from '../../records/problem.ts';
import type { InputRow, RowBatch, SourceFormat } from '../../records/row-batch.ts';

/** Maximum nesting of JSON, including the array around the records. */
export const depthMaximum = 32;
/** Maximum number of columns in a file, over all its records. */
export const columnsMaximum = 1_000;

/**
 * Turns objects into rows. Each name becomes a column, nested ones with dots (`{"buyer": {"name": …}}`: `buyer.name`).
 */
export class ObjectTable {
  readonly #header: string[] = [];
  #headerLine = 1;
  readonly #columns = new Map<string, number>();
  readonly #sourceFormat: SourceFormat | undefined;
  #rows: InputRow[] = [];

  constructor(sourceFormat: SourceFormat | undefined) {
    this.#sourceFormat = sourceFormat;
  }

  /** Adds a record with the text `raw`. */
  add(line: number, value: Json, raw: string): void {
    if (!isJsonObject(value)) {
      const remedy = 'write each record as an object with the names of its fields, {"originId": …}';
      this.leaveOut(
        line,
        raw,
        refuse('not-an-object', `this record is ${nameOf(value)}, not an object`, remedy),
      );
      return;
    }
    const namedBefore = this.#header.length;
    const cells = new Array<Cell>(namedBefore).fill(undefined);
    const fault =
      envelopeIn(value) ??
      (isDeeperThan(value, depthMaximum - 1) ? tooDeep : undefined) ??
      repeatedField(repeatedKeyIn(raw, value)) ??
      this.#fill(cells, value, '');
    if (fault) {
      this.leaveOut(line, raw, fault);
      this.#forgetColumns(namedBefore);
      return;
    }
    const exactCells = () => {
      const exact: Cell[] = [];
      this.#fill(exact, JSON.parse(withExactNumbers(raw)) as JsonObject, '');
      return exact;
    };
    const row = { line, cells, exactCells };
    this.#rows.push(this.#sourceFormat ? { ...row, raw: raw.trim() } : row);
    if (this.#header.length > namedBefore) this.#headerLine = line;
  }

  /** Adds a record that cannot be read. */
  leaveOut(line: number, raw: string | undefined, about: Fault): void {
    const row = { line, cells: [], problem: { line, ...about } };
    this.#rows.push(this.#sourceFormat && raw !== undefined ? { ...row, raw: raw.trim() } : row);
  }

  /** Removes the columns of a skipped record, because their number is limited. */
  #forgetColumns(from: number): void {
    for (const name of this.#header.splice(from)) this.#columns.delete(name);
  }

  /** The rows and problems since the last batch. */
  batch(end?: Fault): RowBatch {
    const rows = this.#rows;
    this.#rows = [];
    return {
      header: this.#header,
      headerLine: this.#headerLine,
      isHeaderWhole: false,
      rows,
      end,
      sourceFormat: this.#sourceFormat,
    };
  }

  #fill(cells: Cell[], object: JsonObject, prefix: string): Fault | undefined {
    for (const [name, value] of Object.entries(object)) {
      const path = prefix + name;
      if (isJsonObject(value)) {
        const fault = this.#fill(cells, value, `${path}.`);
        if (fault) return fault;
        continue;
      }
      const column = this.#columnOf(path);
      if (column === undefined) return tooManyColumns;
      if (cells[column] !== undefined) return repeatedField(path, 'nested and dotted');
      cells[column] = value;
    }
    return undefined;
  }

  #columnOf(path: string): number | undefined {
    const known = this.#columns.get(path);
    if (known !== undefined) return known;
    const column = this.#header.length;
    if (column === columnsMaximum) return undefined;
    this.#columns.set(path, column);
    this.#header.push(path);
    return column;
  }
}

export const tooDeep = refuse(
  'too-deep',
  `the JSON nests deeper than ${depthMaximum} levels`,
  'write the records as an array of plain objects, or one object a line',
);

const tooManyColumns = refuse(
  'too-many-columns',
  `the records of this file name more than ${columnsMaximum} different fields`,
  'remove fields that are not sent, and do not use values as names',
);

/** Names beside the list in one page of it. The service itself uses `totalCount` and `pageInfo`. */
const besideList =
  /^(?:total|count|next|prev|page|per_?page|limit|offset|cursor|has_?more|links?|meta|pagin|status|success)/i;

/** The problem of an object that contains the list of records. A record has at least an id, so not only lists. */
function envelopeIn(value: JsonObject): Fault | undefined {
  let list: readonly Json[] | undefined;
  for (const name in value) {
    const part = value[name];
    if (Array.isArray(part)) {
      if (part.some(isJsonObject) && !besideList.test(name)) list ??= part;
    } else if (!besideList.test(name)) return undefined;
  }
  if (list === undefined) return undefined;
  const { length } = list;
  const total = Object.entries(value).find(
    ([name, part]) => /^total/i.test(name) && Number(part) > length,
  )?.[1];
  if (total === undefined)
    return refuse('not-a-list', 'this object contains the list of records', listOfRecords);
  const reason = `this is one page of a list: it contains ${length} of ${Number(total)} records`;
  return refuse('not-a-list', reason, `export all pages; ${listOfRecords}`);
}

export const listOfRecords =
  'the file must be the list of records itself, [{…}, {…}], not an object that contains it';

/** The problem of a repeated field, which is ambiguous. Unused fields are included. */
function repeatedField(column: string | undefined, how = 'in one object'): Fault | undefined {
  if (column === undefined) return undefined;
  return {
    code: 'duplicate-field',
    column,
    reason: `the record has '${column}' twice, ${how}`,
    remedy: 'remove one of the two',
  };
}

function nameOf(value: Json): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

/**
 * The dotted path of the first key that occurs twice in an object of `written`. JSON parsers silently use the last one.
 * `value` is the parsed text.
 */
export function repeatedKeyIn(written: string, value: Json): string | undefined {
  // Only a text with more apparent keys than its value has is worth the exact search; few texts have.
  return countKeyLike(written) > countKeys(value) ? findRepeated(written) : undefined;
}

const space = 0x20;
const quote = 0x22;

/** The number of colons after a quote: those of all keys, and perhaps some within texts. */
function countKeyLike(written: string): number {
  let count = 0;
  for (let colon = written.indexOf(':'); colon !== -1; colon = written.indexOf(':', colon + 1)) {
    let before = colon - 1;
    while (written.charCodeAt(before) <= space) before -= 1;
    if (written.charCodeAt(before) === quote) count += 1;
  }
  return count;
}

function countKeys(value: Json | undefined): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value);
  let count = Array.isArray(value) ? 0 : inner.length;
  for (const child of inner) count += countKeys(child);
  return count;
}

/** A string, with the colon that makes it a key, or a bracket. An unclosed string matches up to the end of the text. */
const keyOrBracket = /("(?:[^"\\]|\\.)*(?:"|\\?$))(\s*:)?|[{}[\]]/gs;

function findRepeated(written: string): string | undefined {
  /** Keys and path of each enclosing object or array. The elements of an array have the path of the array. */
  const scopes: { readonly path: string; readonly keys: Set<string> }[] = [];
  let path = '';
  for (const [token, text, colon] of written.matchAll(keyOrBracket)) {
    if (token === '{' || token === '[') scopes.push({ path, keys: new Set() });
    else if (text === undefined) path = scopes.pop()?.path ?? '';
    else if (colon !== undefined) {
      const { path: outer = '', keys = new Set() } = scopes.at(-1) ?? {};
      const name = JSON.parse(text) as string;
      path = outer === '' ? name : `${outer}.${name}`;
      if (keys.has(name)) return path;
      keys.add(name);
    }
  }
  return undefined;
}
