import type { Shard } from '../../base/shard.ts';

/** The charset of a file. CP949 is a superset of EUC-KR; Korean Windows calls it ANSI. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'cp949' | 'windows-1252';

/** The decimal mark of amounts in a file. The other mark groups thousands. */
export const decimalMarks = ['point', 'comma'] as const;
export type DecimalMark = (typeof decimalMarks)[number];

/** The order of year, month and day in dates that begin with the year, the day or the month. */
export const dateOrders = ['ymd', 'dmy', 'mdy'] as const;
export type DateOrder = (typeof dateOrders)[number];

/** Treatment of a status in progress, for which the service has none: omit the status, or refuse the row. */
export const openStatusChoices = ['omit', 'refuse'] as const;
export type OpenStatusChoice = (typeof openStatusChoices)[number];

/** Options for reading the input, from flags and settings. */
export interface InputOptions {
  /** By default detected from the content, then from the name. */
  readonly format?: 'csv' | 'tsv' | 'json' | 'ndjson' | 'xlsx';
  /** By default, and with `auto`, detected from the content. */
  readonly encoding?: Encoding | 'auto';
  /** One character; by default detected from the content. */
  readonly delimiter?: string;
  /** Name of a sheet, or its number from 1; by default the first visible sheet that is not empty. */
  readonly sheet?: string | undefined;
  /** Password of protected workbooks. */
  readonly password?: string;
  /** Line of the header, from 1. The lines above it are skipped. */
  readonly headerRow?: number | undefined;
  /** `field=header` or `field=template`. */
  readonly map: readonly string[];
  /** `field=value`. */
  readonly set: readonly string[];
  /** Offset of times that have none, such as `+09:00`. */
  readonly timeZone: string;
  /** By default a point. */
  readonly decimal?: DecimalMark;
  /** By default `ymd`, which is always accepted. The other orders are for dates with the year last. */
  readonly dateOrder?: DateOrder;
  /** Text of a cell that means null. */
  readonly nullWord?: string;
  /** By default `omit`. */
  readonly openStatus?: OpenStatusChoice;
  /** Traces of failed programs to accept. */
  readonly allow?: readonly FailureTrace[];
  /** Base URL of relative image paths. */
  readonly imageBaseUrl?: string | undefined;
  /** Address of the shop, from which `imageBaseUrl` is proposed. */
  readonly shopUrl?: string;
  /** Key that identifies the shop's products, such as `SKU`. Its column takes precedence over other keys. */
  readonly productKey?: string | undefined;
  /** Name of a preset, or `none`; by default recognized by the headers of each file. */
  readonly preset?: string;
  /** The service's codes of carriers, as `name=code`. They override the known ones. */
  readonly carriers?: readonly string[];
  /** True if rows are combined into whole orders (assumption `createOrders`); they must agree on the order's fields. */
  readonly hasWholeOrders?: boolean;
  /** The part of the records to read. Only the keys of other rows are read. */
  readonly shard?: Shard;
  /** True if rows keep their text, because invalid ones are skipped and written as rejects. */
  readonly keepRaw?: boolean;
  /** Folder for ids that do not fit into memory when finding duplicates; by default the folder of temporary files. */
  readonly spoolFolder?: string;
  /** Called now and then with the number of records read so far. If the input is read again, counting restarts. */
  readonly onRead?: (records: number) => void;
}

/** The sheet of a workbook to read, and the workbook's password. */
export type SheetOptions = Pick<InputOptions, 'sheet' | 'password'>;

/** Traces of failed programs, as `--allow` names them. Most are found by `cells/traces.ts`. */
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
