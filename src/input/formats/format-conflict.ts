import type { InputFile } from '../open/input-file.ts';
import type { InputOptions } from '../records/options.ts';
import type { Problem } from '../records/problem.ts';
import { extensionOf } from './format.ts';

type FormatFlags = Pick<InputOptions, 'format' | 'delimiter'>;

/** The problem of a workbook that contradicts `--format` or, without that, its name. */
export function workbookConflict(file: InputFile, said: FormatFlags): Problem | undefined {
  const { format } = said;
  if (format !== undefined) return format === 'xlsx' ? undefined : notThisFormat(file, aWorkbook, format);
  return formatOfName(file, said) === 'JSON' ? notAsNamed(file, aWorkbook, 'xlsx') : undefined;
}

/**
 * The problem of a text that contradicts `--format` or, without that, the name of its file, by its first piece; a blank
 * one is accepted whatever its name.
 */
export function textConflict(file: InputFile, text: string, said: FormatFlags): Problem | undefined {
  const { format } = said;
  if (format !== undefined) return format === 'xlsx' ? notThisFormat(file, noWorkbook, format) : undefined;
  const promised = formatOfName(file, said);
  const start = text.trimStart()[0];
  if (promised === undefined || start === undefined) return undefined;
  if (promised === 'workbook') return notAsNamed(file, noWorkbook, 'csv');
  return start === '[' || start === '{' ? undefined : notAsNamed(file, 'not JSON', 'csv');
}

const aWorkbook = 'an Excel workbook';
const noWorkbook = 'text and no Excel workbook';

/** The format that the name of a file implies. `.xls` (often text) and `.csv` imply none. */
function formatOfName({ shownAs }: InputFile, { delimiter }: FormatFlags): 'JSON' | 'workbook' | undefined {
  if (delimiter !== undefined) return undefined;
  switch (extensionOf(shownAs)) {
    case 'json':
    case 'ndjson':
    case 'jsonl':
      return 'JSON';
    case 'xlsx':
    case 'xlsm':
      return 'workbook';
    default:
      return undefined;
  }
}

function notAsNamed({ shownAs: file }: InputFile, is: string, format: string): Problem {
  const name = `.${extensionOf(file)}`;
  return {
    file,
    code: 'not-as-named',
    reason: `this is ${is}, but its name ends with ${name}`,
    remedy: `export the file again; if the name is wrong, add --format ${format}`,
  };
}

function notThisFormat({ shownAs: file }: InputFile, is: string, format: string): Problem {
  return {
    file,
    code: 'not-this-format',
    reason: `this is ${is}, but --format says ${format}`,
    remedy: 'omit --format: the format is detected from the content',
  };
}
