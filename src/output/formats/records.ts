import type { JsonObject } from '../../base/json.ts';
import { type Streams, writeOutput } from '../terminal/streams.ts';
import { onOneLine, terminalJson, terminalText } from '../terminal/terminal-text.ts';
import { checkFields, selectFields, textOf, valueAt } from '../views/fields.ts';
import type { Attention, Column, View } from '../views/view.ts';
import { csvLine, csvRecord } from './csv.ts';
import { chosenFormat, type OutputFormat } from './formats.ts';
import { Table } from './table.ts';

export interface OutputOptions {
  /** By default a table on a terminal, NDJSON in a pipe. */
  readonly format?: OutputFormat | undefined;
  /** Dotted names of the fields to write, in this order; by default all. */
  readonly fields?: readonly string[] | undefined;
  /** Starts CSV with a BOM, from which Excel recognizes UTF-8. */
  readonly excel?: boolean | undefined;
  /** Records that a table reads to decide its columns before it writes its first line; 100 by default. */
  readonly firstRows?: number | undefined;
}

/** Records that were serialized before: the bytes that printing them as NDJSON would give. */
interface RecordLines {
  readonly bytes: Uint8Array;
  readonly count: number;
}

/** Some records of a list. */
export type RecordBatch = readonly JsonObject[] | RecordLines;

export interface Written {
  /** Records read from the source. */
  readonly written: number;
  /** True if the reader closed stdout before the end. */
  readonly isCut: boolean;
  /** The headers of columns that did not fit the table. */
  readonly leftOut: readonly string[];
  /** Records that a table counted but did not list. */
  readonly unlisted: number;
}

/** Converts records to the text of one format; '' writes nothing. */
interface Format {
  batch(records: readonly JsonObject[]): string | Promise<string>;
  /** The end of the text of a whole list. */
  end?(): string | Promise<string>;
  /** Rows held back so far, requested if the source fails. */
  held?(): Promise<string>;
  /** As in `Written`. */
  readonly leftOut?: readonly string[];
  readonly unlisted?: number;
}

const byteOrderMark = '\ufeff';

const firstRowsDefault = 100;

/** True if records may pass through as lines; a terminal must not receive control characters. */
export function takesLines(options: OutputOptions, streams: Streams): boolean {
  const isWhole = options.fields === undefined && !streams.isOutputTerminal;
  return isWhole && chosenFormat(options.format, streams) === 'ndjson';
}

/**
 * Writes a stream of records to stdout, each batch as it arrives; the next batch is read once the last was accepted. A
 * table starts once its first rows have arrived, or when the source ends or fails. If the reader closes stdout, the
 * source is stopped (`return()`); that is not an error.
 * @throws Failure('usage') for an unknown field, before the first batch is read.
 */
export async function writeRecords(
  batches: AsyncIterable<RecordBatch>,
  view: View,
  options: OutputOptions,
  streams: Streams,
): Promise<Written> {
  const { fields } = options;
  checkFields(fields, view);
  const format = formatters[chosenFormat(options.format, streams)](view, options, streams);
  const isTaken = async (text: string | Uint8Array) => text === '' || (await writeOutput(streams, text));

  let written = 0;
  const result = (isCut: boolean) => {
    const { leftOut = [], unlisted = 0 } = format;
    return { written, isCut, leftOut, unlisted };
  };
  try {
    for await (const batch of batches) {
      const isLines = 'bytes' in batch;
      if (!(await isTaken(isLines ? batch.bytes : await format.batch(batch)))) return result(true);
      written += isLines ? batch.count : batch.length;
    }
  } catch (error) {
    await isTaken((await format.held?.()) ?? '');
    throw error;
  }
  return result(!(await isTaken((await format.end?.()) ?? '')));
}

function inPipe(attention: Attention): Attention {
  return attention === 'success' ? attention : 'change';
}

/** Creations that a table lists as examples. */
const shownCreations = 10;
/** Rows kept for the end of a table. */
const keptForEnd = 1_000;

/**
 * A table that starts with its first rows, or at the end. On a terminal it shows changes as they come and the rows that
 * need a person at its end: the last thousand of these, earlier ones as they come.
 */
class TableFormat implements Format {
  readonly #table: Table;
  readonly #attention: NonNullable<View['attention']>;
  readonly #firstRows: number;
  #taken = 0;
  #creations = 0;
  #held: JsonObject[] = [];
  #forEnd: JsonObject[] = [];
  unlisted = 0;

  constructor(view: View, { fields, firstRows = firstRowsDefault }: OutputOptions, streams: Streams) {
    this.#table = new Table(tableColumns(view, fields), streams, { isChosen: fields !== undefined });
    const { attention = () => 'change' } = view;
    this.#attention = streams.isOutputTerminal ? attention : (record) => inPipe(attention(record));
    this.#firstRows = firstRows;
  }

  get leftOut(): readonly string[] {
    return this.#table.leftOut;
  }

  batch(records: readonly JsonObject[]): string | Promise<string> {
    this.#taken += records.length;
    for (const record of records) this.#add(record);
    this.#held.push(...this.#forEnd.splice(0, this.#forEnd.length - keptForEnd));
    return this.#taken < this.#firstRows ? '' : this.#release();
  }

  end(): Promise<string> {
    this.#held.push(...this.#forEnd.splice(0));
    return this.#release();
  }

  held(): Promise<string> {
    return this.end();
  }

  #add(record: JsonObject): void {
    const attention = this.#attention(record);
    if (attention === 'person') this.#forEnd.push(record);
    else if (attention === 'change' || (attention === 'creation' && this.#creations < shownCreations))
      this.#held.push(record);
    else this.unlisted += 1;
    if (attention === 'creation') this.#creations += 1;
  }

  #release(): Promise<string> {
    return this.#table.rows(this.#held.splice(0));
  }
}

type Formatter = (view: View, options: OutputOptions, streams: Streams) => Format;

const formatters: Readonly<Record<OutputFormat, Formatter>> = {
  table: (view, options, streams) => new TableFormat(view, options, streams),

  ndjson: (_view, options, streams) => {
    const json = jsonWriter(options, streams);
    return { batch: (records) => records.map((record) => `${json(record)}\n`).join('') };
  },

  json: (_view, options, streams) => {
    const json = jsonWriter(options, streams);
    let opening = '[\n';
    const batch = (records: readonly JsonObject[]) => {
      if (records.length === 0) return '';
      const text = opening + records.map(json).join(',\n');
      opening = ',\n';
      return text;
    };
    return { batch, end: () => (opening === ',\n' ? '\n]\n' : '[]\n') };
  },

  csv: (view, { fields, excel }, { isOutputTerminal: isTerminal }) => {
    const columns = fields ?? view.csvColumns;
    let opening = (excel && !isTerminal ? byteOrderMark : '') + csvLine(columns);
    const withHeader = (text: string) => {
      const whole = opening + text;
      opening = '';
      return whole;
    };
    const line = (record: JsonObject) => csvRecord(record, columns, isTerminal);
    return { batch: (records) => withHeader(records.map(line).join('')), end: () => withHeader('') };
  },

  ids: (view, _options, { isOutputTerminal }) => {
    const safe = isOutputTerminal ? terminalText : onOneLine;
    const line = (record: JsonObject) => {
      const id = textOf(valueAt(record, view.id));
      return id === '' ? '' : `${safe(id)}\n`;
    };
    return { batch: (records) => records.map(line).join('') };
  },

  count: () => {
    let count = 0;
    const batch = (records: readonly JsonObject[]) => {
      count += records.length;
      return '';
    };
    return { batch, end: () => `${count}\n` };
  },

  none: () => ({ batch: () => '' }),
};

/** JSON of a record as received; on a terminal with control characters escaped. */
function jsonWriter(
  { fields }: OutputOptions,
  { isOutputTerminal }: Streams,
): (record: JsonObject) => string {
  return (record) => {
    const json = JSON.stringify(fields === undefined ? record : selectFields(record, fields));
    return isOutputTerminal ? terminalJson(json) : json;
  };
}

function tableColumns(view: View, fields: readonly string[] | undefined): readonly Column[] {
  if (!fields) return view.columns;
  return fields.map(
    (field) => view.columns.find(({ path }) => path === field) ?? { header: field, path: field },
  );
}
