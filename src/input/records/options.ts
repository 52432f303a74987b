import type { FailureTrace } from './failure-traces.ts';

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
