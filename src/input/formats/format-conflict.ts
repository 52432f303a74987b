import type { InputFile } from '../open/input-file.ts';
import type { InputOptions } from '../records/options.ts';
import type { Problem } from '../records/problem.ts';
import { extensionOf } from './format.ts';

type ContentKind = 'text' | 'xlsx';
type FormatFlags = Pick<InputOptions, 'format' | 'delimiter'>;

/** The problem of a file whose content contradicts `--format` or, without that, its name. */
export function contentConflict(
  file: InputFile,
  content: ContentKind,
  said: FormatFlags,
): Problem | undefined {
  const { format } = said;
  if (format !== undefined) {
    return (format === 'xlsx') === (content === 'xlsx') ? undefined : notThisFormat(file, content, format);
  }
  const promised = formatOfName(file, said);
  return content === 'xlsx' && promised === 'JSON'
    ? notAsNamed(file, 'an Excel workbook', 'xlsx')
    : undefined;
}

/** The problem of a file whose text contradicts its name, by the first piece of the text; a blank one is accepted. */
export function textConflict(file: InputFile, text: string, said: FormatFlags): Problem | undefined {
  const promised = formatOfName(file, said);
  const start = text.trimStart()[0];
  if (promised === undefined || start === undefined) return undefined;
  if (promised === 'workbook') return notAsNamed(file, 'text and no Excel workbook', 'csv');
  return start === '[' || start === '{' ? undefined : notAsNamed(file, 'not JSON', 'csv');
}

/** The format that the name of a file implies. `.xls` (often text) and `.csv` imply none. */
function formatOfName(
  { shownAs }: InputFile,
  { format, delimiter }: FormatFlags,
): 'JSON' | 'workbook' | undefined {
  if (format !== undefined || delimiter !== undefined) return undefined;
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

function notThisFormat({ shownAs: file }: InputFile, content: ContentKind, format: string): Problem {
  const is = content === 'xlsx' ? 'an Excel workbook' : 'text and no Excel workbook';
  return {
    file,
    code: 'not-this-format',
    reason: `this is ${is}, but --format says ${format}`,
    remedy: 'omit --format: the format is detected from the content',
  };
}
