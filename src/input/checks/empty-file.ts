import type { HintText } from '../../base/hint.ts';
import type { Binding } from '../mapping/binding.ts';
import type { HeaderPlace } from '../mapping/columns.ts';
import type { RecognizedFile } from '../mapping/recognize.ts';
import { quoted } from '../records/cell.ts';
import type { Problem } from '../records/problem.ts';
import { type CheckedBatch, emptyBatch } from './checked.ts';

/** Checks a file without rows: it is empty, has a header alone, or its one line is no header and it is no table. */
export function checkEmptyFile(
  { file, format }: RecognizedFile,
  place: HeaderPlace | undefined,
  bindAt: (place: HeaderPlace) => Binding,
): CheckedBatch<never> {
  const isSheet = format.kind === 'xlsx';
  const what = isSheet ? `the sheet read of ${file.shownAs}` : file.shownAs;
  const noticed = (code: string, message: string, remedy?: HintText) => {
    const hint = isSheet ? `if the records are on another sheet, ${giveSheet}` : remedy;
    return emptyBatch(file, { notices: [{ code, message, ...(hint !== undefined && { hint }) }] });
  };
  if (place === undefined || place.header.length === 0) return noticed('empty-file', `${what} is empty`);
  const binding = bindAt(place);
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

/** Whether a single row is a header: it has a known column, or one that is similar to a known one. */
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
