import type { HintText } from '../../base/hint.ts';
import { type Binding, bind } from '../mapping/binding.ts';
import type { HeaderPlace, UnusedColumn } from '../mapping/columns.ts';
import type { RecognizedFile } from '../mapping/recognize.ts';
import type { InputFile } from '../open/input-file.ts';
import { quoted } from '../records/cell.ts';
import type { InputOptions } from '../records/options.ts';
import type { Notice, Problem } from '../records/problem.ts';
import type { Entry, RecordKind } from '../records/record-kinds.ts';
import type { SourceFormat } from '../records/row-batch.ts';

/** The valid records of a batch, the problems of the others, and notices. */
export interface CheckedBatch<T> {
  readonly file: InputFile;
  readonly entries: readonly Entry<T>[];
  /** The number of records that belong to other shards. */
  readonly elsewhereCount: number;
  readonly problems: readonly Problem[];
  /** The preset with which the file is read. */
  readonly preset?: string | undefined;
  /** The product key of the file; see `Binding`. */
  readonly productKey?: string | undefined;
  /** The columns that no field uses, given once when the header is bound; none for a known export, which has many. */
  readonly unusedColumns: readonly UnusedColumn[];
  /** Notices on this file, each once. */
  readonly notices: readonly Notice[];
  /** The paths of the fields with a value in a record of this file so far. */
  readonly filledFields: ReadonlySet<string>;
  /** The rows that problems exclude; only with `keepRaw`. */
  readonly rejects: readonly RejectedRow[];
  /** How the file is written; only with `keepRaw`. */
  readonly sourceFormat?: SourceFormat | undefined;
  /** Whether the structure of the file is broken, so that its rest is unknown. */
  readonly isBroken: boolean;
}

/** A row that is skipped, with its text, which can be corrected and read again. */
export interface RejectedRow {
  readonly line: number;
  readonly originId: string | undefined;
  readonly raw: string;
  readonly problems: readonly Problem[];
  /** Whether it belongs to an order that is not known, and cannot be left out without it. */
  readonly isOrphan: boolean;
}

/** A batch of this file without records. */
export function emptyBatch(file: InputFile, known: Partial<CheckedBatch<never>> = {}): CheckedBatch<never> {
  return {
    file,
    entries: [],
    elsewhereCount: 0,
    problems: [],
    unusedColumns: [],
    notices: [],
    filledFields: new Set(),
    rejects: [],
    isBroken: false,
    ...known,
  };
}

/** Checks a file without rows: it is empty, has only a header, or its one line is not a header. */
export function checkEmptyFile(
  recognized: RecognizedFile,
  place: HeaderPlace | undefined,
  kind: RecordKind,
  options: InputOptions,
): CheckedBatch<never> {
  const { file, sheets } = recognized;
  // Without another sheet, the file and its sheet are the same.
  const isSheet = (sheets?.names.length ?? 0) > 1;
  const what = isSheet ? `the sheet read of ${file.shownAs}` : file.shownAs;
  const noticed = (code: string, message: string, remedy?: HintText) => {
    const hint = isSheet ? `if the records are on another sheet, ${giveSheet}` : remedy;
    return emptyBatch(file, { notices: [{ code, message, ...(hint !== undefined && { hint }) }] });
  };
  if (place === undefined || place.header.length === 0) return noticed('empty-file', `${what} is empty`);
  const binding = bind(kind, recognized, place, options);
  if (!isHeader(binding)) {
    return emptyBatch(file, { problems: [noTable(file.shownAs, place, isSheet)], isBroken: true });
  }
  const [fault] = [...binding.problems, ...binding.missingColumns];
  const message = `${what} holds a header and no rows`;
  return fault === undefined
    ? noticed('no-rows', message)
    : noticed('no-rows', `${message}; with rows it would be refused: ${fault.reason}`, fault.remedy);
}

const giveSheet = 'give its name or number: --sheet 2';

/** Whether a single row is a header: one of its columns is known, or similar to a known one. */
function isHeader({ columns, choices, unusedColumns }: Binding): boolean {
  const isKnown = columns.some(({ indexes }) => indexes.some((index) => index !== -1));
  return isKnown || choices.length > 0 || unusedColumns.some(({ nearest }) => nearest !== undefined);
}

function noTable(file: string, { header, headerLine: line }: HeaderPlace, isSheet: boolean): Problem {
  return {
    file,
    line,
    value: quoted(header.join(' | ')),
    code: 'no-table',
    reason: 'this is not a table: it has one line, and none of its columns is known',
    remedy: isSheet
      ? `if the records are on another sheet, ${giveSheet}`
      : 'open the file and look at its content: a failed export may have written an error message',
  };
}
