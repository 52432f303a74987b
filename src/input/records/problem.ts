import type { Json } from '../../base/json.ts';
import type { FailureTrace } from './failure-traces.ts';
import type { IdLineReader, ReadIdRecords } from './id-lines.ts';

/** A record and where it starts: `file` is the path as typed (`-` for standard input), `line` counts from 1. */
export interface Entry<T> {
  readonly file: string;
  readonly line: number;
  readonly record: T;
}

/**
 * Something in the input that stops a record, or a file, from being sent. `reason` says what is wrong in words,
 * `remedy` what to do about it; `value` is the cell as it stands in the file, shortened but not made safe to display.
 */
export interface Problem {
  readonly file: string;
  readonly line?: number;
  readonly column?: string;
  readonly value?: string;
  readonly code: string;
  readonly reason: string;
  readonly remedy: string;
  /** Flags of which each would mend it; where there are several one has to be chosen. */
  readonly choices?: readonly string[];
}

/** Something worth knowing that stops nothing, told once for all files. */
export interface Notice {
  /** Whether it only says what was done; otherwise it is a warning. */
  readonly isInfo?: boolean;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** How the bytes of a file are text. CP949 is what Korean Windows calls ANSI, a superset of EUC-KR. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'cp949';

/** How to read the input: what the flags said. */
export interface InputOptions {
  /** Found by content, then by name, when not given. */
  readonly format?: 'csv' | 'tsv' | 'json' | 'ndjson' | 'xlsx';
  /** Found by content when not given, or `auto`. */
  readonly encoding?: Encoding | 'auto';
  /** One character; found by content when not given. */
  readonly delimiter?: string;
  /** The name of a sheet of an xlsx, or its number from 1; the first visible one that holds anything when not given. */
  readonly sheet?: string;
  /** What opens workbooks that are protected. */
  readonly password?: string;
  /** The line, from 1, on which the header stands; the lines above it are passed over. */
  readonly headerRow?: number;
  /** How many rows right below the header explain it and are no records; blank rows do not count. */
  readonly guideRows?: number;
  /** `field=header` or `field=template`. */
  readonly map: readonly string[];
  /** `field=value`. */
  readonly set: readonly string[];
  /** The offset of times that name none, such as `+09:00`. */
  readonly timeZone: string;
  /** The cell that means null. */
  readonly nullWord?: string;
  /** What failed programs leave in cells and is sent all the same. */
  readonly allow?: readonly FailureTrace[];
  /** What relative image paths are relative to. */
  readonly imageBaseUrl?: string;
  /** The address of the shop, of which `imageBaseUrl` is proposed. */
  readonly shopUrl?: string;
  /** What the products of the shop are known by, such as `SKU`; the column that holds it goes before others that may. */
  readonly productKey?: string | undefined;
  /** The name of a preset, or `none`; found by the headers of each file when not given. */
  readonly preset?: string;
  /** `name=code`: the codes of carriers as this service knows them, before all that is known here. */
  readonly carriers?: readonly string[];
  /** Whether orders are made whole of their rows (assumption `createOrders`), which then must agree on whose they are. */
  readonly hasWholeOrders?: boolean;
  /** Whether rows come with the text they were read from. */
  readonly keepRaw?: boolean;
  /** Whether records that are made of ids alone may come as columns. */
  readonly hasIdColumns?: boolean;
  /** Where ids that are too many for memory wait while duplicates are looked for; the folder for temporary files when not given. */
  readonly spoolFolder?: string;
}

/** Which sheet of a workbook is read, and what opens it. */
export type SheetOptions = Pick<InputOptions, 'sheet' | 'password'>;

/** What a column holds for one record; undefined where the record lacks the column. Files of text give strings only. */
export type Cell = Json | undefined;

/** What a cell of a workbook is that is shown as text and is none. `plain` is how a text would say the same. */
export type Typed =
  | { readonly kind: 'boolean' }
  /** Without `plain` where no day is known: a time alone, a duration. */
  | { readonly kind: 'date'; readonly plain: string | undefined }
  /** Without `plain` where another number is shown than the one that is kept, as `15%`. */
  | {
      readonly kind: 'number';
      readonly plain: string | undefined;
      readonly isWhole: boolean;
      /** The same where it numbers a day, as days are numbered from 1900; left out where it is `plain`. */
      readonly day?: string;
    }
  /** A number of more digits than are kept. */
  | { readonly kind: 'too-long' }
  /** A number whose format nobody can read, so that what is shown is not known. */
  | { readonly kind: 'unformatted' }
  /** An error, or a formula without a result; `place` is the cell: `Sheet1!B7`. */
  | { readonly kind: 'error' | 'uncalculated'; readonly place: string };

/** A record as the file has it: cells in the order of the header. */
export interface Row {
  readonly line: number;
  readonly cells: readonly Cell[];
  /** By column, what cells of a workbook are that are no text; without it all are text or whole numbers as they were typed. */
  readonly typed?: ReadonlyMap<number, Typed>;
  /** The text the row was read from, only with `keepRaw`. */
  readonly raw?: string;
}

/**
 * A stretch of a file. `header` may grow from one stretch to the next (JSON records name their columns as they come)
 * but never changes what it holds. A problem that ends the reading of the file is the last one of the last stretch.
 */
export interface Stretch {
  readonly header: readonly string[];
  /** The line of the header, or of the record that named its newest column. */
  readonly headerLine: number;
  /** Whether no later stretch will add a column. */
  readonly isHeaderWhole: boolean;
  /** How many cells more than the header every row has, all blank; fewer where it is below 0. None where it is left out. */
  readonly surplusCells?: number;
  readonly rows: readonly Row[];
  /** In place of rows, those that the reader of lines of ids could take. */
  readonly idRecords?: ReadIdRecords;
  /** Takes lines of ids from here on, once it is told which; only with `hasIdColumns`. */
  readonly idLines?: IdLineReader;
  readonly problems: readonly Problem[];
  /** Whether the last problem ended the reading, so that nothing is known of the rest of the file. */
  readonly isBroken?: boolean;
  /** The rows that problems speak of and that are not among `rows`, only with `keepRaw`. */
  readonly unread?: readonly Row[];
  /** How the file is written, as far as it is known, only with `keepRaw`. */
  readonly writing?: Writing;
}

/** How a file is written: what it takes to write rows of it again as they were. */
export interface Writing {
  readonly format: 'csv' | 'json' | 'ndjson';
  /** Whether the rows are those of a workbook: they are written as CSV, in which Excel keeps each cell as it is. */
  readonly isOfWorkbook: boolean;
  /** Whether the text begins with a byte-order mark. */
  readonly isMarked: boolean;
  /** Empty for JSON. */
  readonly delimiter: string;
  readonly lineEnd: string;
  /** The rows up to the header, each with its line end; empty for JSON. */
  readonly header: string;
}
