import type { JsonObject } from '../../../base/json.ts';
import { flagWord } from '../../../base/shell-word.ts';
import type { Proposal } from '../../../input/inspect/proposals.ts';
import type { InspectedFile, Inspection, ProblemGroup } from '../../../input/inspect.ts';
import type { Entry } from '../../../input/records/record-kinds.ts';
import { displayWidth, hangingLines, noBreakSpace } from '../../../output/terminal/display-width.ts';
import { terminalJson, terminalText } from '../../../output/terminal/terminal-text.ts';
import { counted, grouped, listTotal } from '../../../output/terminal/totals.ts';
import type { UnsentWarning } from './push-kind.ts';

const delimiterNames: Readonly<Record<string, string>> = {
  ',': 'commas',
  '\t': 'tabs',
  ';': 'semicolons',
  '|': 'bars',
};

/** An inspection, and what the push would send. */
export interface PushInspection<T> extends Omit<Inspection<T>, 'first'> {
  /** The first records as they would be sent. */
  readonly first: readonly Entry<T | JsonObject>[];
  /** The fields omitted from them. */
  readonly unsent?: UnsentWarning;
}

/**
 * An inspection for people: files and their fields, the first records, the problems, and last the command to push with.
 * Lines have at most `columns` cells and are wrapped between words.
 */
export function inspectionText<T>(inspection: PushInspection<T>, columns: number): string {
  const { files, first, unsent, problems, problemCount, advice, settings } = inspection;
  const blocks = [
    ...files.map(fileLines),
    first.length === 0 ? [] : ['first records, as they would be sent:', ...first.map(recordLine)],
    unsent === undefined
      ? []
      : [
          unsent.message,
          ...[unsent.choice?.reason, unsent.hint]
            .filter((line) => line !== undefined)
            .map((line) => `  ${String(line)}`),
        ],
    [
      `${recordsInWords(inspection)} to send, ${counted(problemCount, 'problem')}`,
      ...problems.flatMap(problemLines),
    ],
    advice.length === 0 ? [] : ['notes:', ...advice.map((line) => `  ${String(line)}`)],
    inspection.proposals.flatMap(proposalLines),
    settings === undefined
      ? []
      : [
          'to apply this to all files of this folder, add to reviewctl.json:',
          `  ${unbroken(JSON.stringify(settings))}`,
        ],
    commandLines(inspection),
  ];
  const lines = blocks.filter((block) => block.length > 0).flatMap((block) => [...block, '']);
  return `${lines
    .slice(0, -1)
    .flatMap((line) => wrapped(terminalText(line), columns))
    .join('\n')}\n`;
}

function wrapped(line: string, columns: number): readonly string[] {
  const indent = / */.exec(line)?.[0] ?? '';
  return hangingLines(indent, line.slice(indent.length), columns);
}

/** A text that is copied as one piece, so its lines are not wrapped. */
function unbroken(json: string): string {
  return json.replaceAll(' ', noBreakSpace);
}

function recordsInWords<T>({ recordCount, problemCount, elsewhereCount }: PushInspection<T>): string {
  // With problems, the number of records is unknown.
  if (elsewhereCount === undefined || problemCount > 0) return counted(recordCount, 'record');
  return listTotal(recordCount, recordCount + elsewhereCount, 'record');
}

function fileLines({
  file,
  format,
  encoding,
  delimiter,
  sheet,
  headerLine,
  preset,
  confidence,
  ...rest
}: InspectedFile): string[] {
  const parted =
    delimiter === undefined ? '' : `, cells separated by ${delimiterNames[delimiter] ?? delimiter}`;
  const ofSheet = sheet === undefined ? '' : `, sheet ${sheet}`;
  const { fields, unfilled, unusedColumns } = rest;
  if (format === 'unknown') return [`${file}: not a table`];
  const width = Math.max(0, ...fields.map(({ field }) => displayWidth(field)));
  const fromWidth = Math.max(0, ...fields.map(({ from }) => displayWidth(from)));
  return [
    `${file}: ${format}, ${encoding}${parted}${ofSheet}, header on line ${headerLine}`,
    ...(confidence === 'certain' ? [] : [`  ${doubts[confidence]}`]),
    preset === undefined ? '  read without a preset' : `  ${presetLine(preset)}`,
    ...fields.map(
      ({ field, from, origin }) => `  ${padded(field, width)}  from ${padded(from, fromWidth)}  (${origin})`,
    ),
    ...(unfilled.length === 0 ? [] : [`  without a column: ${unfilled.join(', ')}`]),
    ...(unusedColumns.length === 0
      ? []
      : [`  ${counted(unusedColumns.length, 'column')} not used: ${unusedColumns.join(', ')}`]),
  ];
}

/** The certainty of a file's format, if its content does not prove it. */
const doubts = {
  likely: 'detected from most of its first rows; to override: --encoding, --delimiter, --header-row',
  assumed: 'nothing in the file shows its format; to state it: --format, --delimiter',
} as const;

function presetLine({ name, signature }: NonNullable<InspectedFile['preset']>): string {
  if (signature.length === 0) return `read as a ${name} export, as set by --preset`;
  return (
    `read as a ${name} export, because the header has ${signature.join(', ')} (to change that: --preset none or ` +
    'another name)'
  );
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

function recordLine({ line, record }: { readonly line: number; readonly record: unknown }): string {
  return `  line ${line}: ${unbroken(terminalJson(JSON.stringify(record)))}`;
}

function problemLines({ file, column, reason, remedy, value, count, firstLines }: ProblemGroup): string[] {
  const where = [file, column, reason].filter((part) => part !== undefined).join(': ');
  const lines =
    firstLines.length === 0
      ? ''
      : `, ${count > firstLines.length ? 'first ' : ''}line ${firstLines.join(', ')}`;
  const quoted = value === undefined ? '' : `, such as "${value}"`;
  const [first = '', ...others] = String(remedy).split('\n');
  return [
    `  ${where}: ${grouped(count)} ${count === 1 ? 'time' : 'times'}${lines}${quoted}`,
    `    ${first}`,
    ...others.map((line) => `    ${line}`),
  ];
}

function proposalLines({ flag, value, reason, alternatives }: Proposal): string[] {
  const values = [value, ...alternatives].map((way) => flagWord(flag, way));
  return [`needed: ${values.join('  or  ')}`, `  ${String(reason)}`];
}

function commandLines<T>({ commands, recordCount, problemCount }: PushInspection<T>): string[] {
  if (recordCount + problemCount === 0) return [];
  const [command = '', ...others] = commands;
  const first = problemCount === 0 ? 'push with:' : 'push with, once the problems are corrected:';
  return [first, `  ${command}`, ...others.flatMap((other) => ['or:', `  ${other}`])];
}
