import type { HintText } from '../../base/hint.ts';
import { type Binding, bind } from '../mapping/binding.ts';
import type { FileHeader } from '../mapping/recognize.ts';
import { quoted, refuse } from '../records/cell.ts';
import type { CheckRun } from './findings.ts';

/**
 * Checks a file without rows: it is empty, has only a header, or its one line is not a header. Returns true if the file
 * is broken, because it is not a table.
 */
export function checkEmptyFile(
  fileHeader: FileHeader,
  { kind, options, findings }: CheckRun<unknown>,
): boolean {
  const { file, header, headerLine: line, sheets } = fileHeader;
  // The sheet is worth naming only if there are several.
  const isSheet = (sheets?.names.length ?? 0) > 1;
  const what = isSheet ? `the sheet to read in ${file.shownAs}` : file.shownAs;
  const note = (code: string, message: string, remedy?: HintText) => {
    const hint = isSheet ? `if the records are on another sheet, ${giveSheet}` : remedy;
    findings.note({ code, message, ...(hint !== undefined && { hint }) });
    return false;
  };
  if (header.length === 0) return note('empty-file', `${what} is empty`);
  const binding = bind(kind, fileHeader, options);
  if (!isHeader(binding)) {
    const place = { line, value: quoted(header.join(' | ')) };
    findings.report(file.shownAs, [{ ...place, ...(isSheet ? noTableInSheet : noTable) }]);
    return true;
  }
  const [fault] = [...binding.problems, ...binding.missingColumns];
  const message = `${what} has a header but no rows`;
  return fault === undefined
    ? note('no-rows', message)
    : note('no-rows', `${message}; with rows it would be refused: ${fault.reason}`, fault.remedy);
}

const giveSheet = 'give its name or number: --sheet 2';

/** True if the only row is a header: one of its columns is known, or similar to a known one. */
function isHeader({ columns, choices, unusedColumns }: Binding): boolean {
  const isKnown = columns.some(({ indexes }) => indexes.some((index) => index !== -1));
  return isKnown || choices.length > 0 || unusedColumns.some(({ nearest }) => nearest !== undefined);
}

const noTable = refuse(
  'no-table',
  'this is not a table: it has one line, and none of its columns is known',
  'open the file and look at its content: a failed export may have written an error message',
);
const noTableInSheet = { ...noTable, remedy: `if the records are on another sheet, ${giveSheet}` } as const;
