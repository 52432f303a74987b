import type { Binding } from '../mapping/binding.ts';
import type { HeaderPlace } from '../mapping/header-below.ts';
import type { RecognizedFile } from '../mapping/recognize.ts';
import type { InputFile } from '../open/input-file.ts';
import type { Problem } from '../records/problem.ts';
import { quoted } from '../records/quoted.ts';
import { type CheckedBatch, emptyBatch } from './checked.ts';

/** Checks a file without rows: the problems of its header, or that its one line is no header and the file no table. */
export function checkEmptyFile(
  { file, format }: RecognizedFile,
  place: HeaderPlace | undefined,
  bindAt: (place: HeaderPlace) => Binding,
): CheckedBatch<never> {
  const isSheet = format.kind === 'xlsx';
  if (place === undefined || place.header.length === 0) {
    return emptyBatch(file, { emptyFile: { hasHeader: false, isSheet, faults: [] } });
  }
  const binding = bindAt(place);
  if (!isHeader(binding)) {
    return emptyBatch(file, { problems: [noTable(file, place, isSheet)], isBroken: true });
  }
  const faults = [...binding.problems, ...binding.missingColumns];
  return emptyBatch(file, { emptyFile: { hasHeader: true, isSheet, faults } });
}

/** Whether a single row is a header: it has a known column, or one that is similar to a known one. */
function isHeader({ readers, choices, unusedColumns }: Binding): boolean {
  const isKnown = readers.some(({ columns }) => columns.some((column) => column !== -1));
  return isKnown || choices.length > 0 || unusedColumns.some(({ nearest }) => nearest !== undefined);
}

function noTable(
  { shownAs: file }: InputFile,
  { header, headerLine: line }: HeaderPlace,
  isSheet: boolean,
): Problem {
  return {
    file,
    line,
    value: quoted(header.join(' | ')),
    code: 'no-table',
    reason: 'this is not a table: it has one line, and none of its columns is known',
    remedy: isSheet
      ? 'if the records are on another sheet, give its name or number: --sheet 2'
      : 'open the file and look at its content: a failed export may have written an error message',
  };
}
