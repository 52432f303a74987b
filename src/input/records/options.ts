import type { Shard } from '../../base/shard.ts';

/** The charset of a file. Korean Windows calls CP949, a superset of EUC-KR, ANSI. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'cp949' | 'windows-1252';

/** The decimal mark of the amounts in a file; the other mark groups thousands. */
export const decimalMarks = ['point', 'comma'] as const;
export type DecimalMark = (typeof decimalMarks)[number];

/** The order of year, month and day in dates that begin with the year, the day or the month. */
export const dateOrders = ['ymd', 'dmy', 'mdy'] as const;
export type DateOrder = (typeof dateOrders)[number];

/** What becomes of a status in progress, which the service has no word for: it is left out, or its row refused. */
export const openStatusChoices = ['omit', 'refuse'] as const;
export type OpenStatusChoice = (typeof openStatusChoices)[number];

/** How to read the input, as flags and settings say. */
export interface InputOptions {
  /** By default detected from the content, then from the name. */
  readonly format?: 'csv' | 'tsv' | 'json' | 'ndjson' | 'xlsx';
  /** By default, and with `auto`, detected from the content. */
  readonly encoding?: Encoding | 'auto';
  /** One character; by default detected from the content. */
  readonly delimiter?: string;
  /** The name of a sheet, or its number from 1; by default the first visible sheet that is not empty. */
  readonly sheet?: string | undefined;
  /** The password of protected workbooks. */
  readonly password?: string;
  /** The line of the header, from 1; the lines above it are skipped. */
  readonly headerRow?: number | undefined;
  /** `field=header` or `field=template`. */
  readonly map: readonly string[];
  /** `field=value`. */
  readonly set: readonly string[];
  /** The offset of times without one, such as `+09:00`. */
  readonly timeZone: string;
  /** By default a point. */
  readonly decimal?: DecimalMark;
  /** By default the year first, as every file may have it; other orders are for dates with the year at the end. */
  readonly dateOrder?: DateOrder;
  /** The cell that means null. */
  readonly nullWord?: string;
  /** By default `omit`. */
  readonly openStatus?: OpenStatusChoice;
  /** Traces of failed programs that are accepted. */
  readonly allow?: readonly FailureTrace[];
  /** The base URL of relative image paths. */
  readonly imageBaseUrl?: string | undefined;
  /** The address of the shop, from which `imageBaseUrl` is proposed. */
  readonly shopUrl?: string;
  /** The key that identifies the shop's products, such as `SKU`; its column takes precedence over other keys. */
  readonly productKey?: string | undefined;
  /** The name of a preset, or `none`; by default recognized by the headers of each file. */
  readonly preset?: string;
  /** `name=code`: the service's codes of carriers, which take precedence over the known ones. */
  readonly carriers?: readonly string[];
  /**
   * Whether whole orders are made of their rows (assumption `createOrders`), which then must agree on the order's
   * fields.
   */
  readonly hasWholeOrders?: boolean;
  /** The part of the records to take; the rows of the others are only read as far as their key. */
  readonly shard?: Shard;
  /** Whether rows keep the text they were read from, because invalid ones are skipped. */
  readonly keepRaw?: boolean;
  /**
   * The folder for ids that do not fit into memory during the search for duplicates; by default that of temporary
   * files.
   */
  readonly spoolFolder?: string;
  /** Called now and then with the number of records read so far, counted anew where the input is read again. */
  readonly onRead?: (records: number) => void;
}

/** Which sheet of a workbook is read, and the workbook's password. */
export type SheetOptions = Pick<InputOptions, 'sheet' | 'password'>;

/** Traces of failed programs in cells, as `--allow` names them. They are found in `cells/traces.ts`. */
export const failureTraces = [
  'decimal-ids',
  'date-ids',
  'null-words',
  'error-words',
  'replacement-characters',
  'question-marks',
  'mojibake',
  'masked-contacts',
  'currencies',
  'control-characters',
  'escapes',
  'number-limits',
  'row-marks',
  'id-lists',
  'rounded-ids',
] as const;

export type FailureTrace = (typeof failureTraces)[number];
