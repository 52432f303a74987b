import { Failure } from '../base/failure.ts';
import type { HintText } from '../base/hint.ts';
import type { Confidence } from './formats/format.ts';
import { itemRows } from './formats/json/item-rows.ts';
import { readTable } from './formats/open-table.ts';
import {
  missingFlags,
  type Proposal,
  proposeForProblems,
  proposeHeaderRow,
  proposeMaps,
  proposeSheet,
  subjectOf,
  withProposals,
} from './inspect/proposals.ts';
import { pushCommands, settingsToKeep } from './inspect/push-commands.ts';
import { type Binding, bind } from './mapping/binding.ts';
import type { SourceOrigin } from './mapping/columns.ts';
import { type FileHeader, recognize } from './mapping/recognize.ts';
import type { InputFile } from './open/input-file.ts';
import type { InputFiles } from './open/open.ts';
import { orderFieldOf } from './records/field.ts';
import type { Encoding, InputOptions } from './records/options.ts';
import type { Notice, Problem } from './records/problem.ts';
import type { Entry, Identified, RecordKind, RecordKindName } from './records/record-kinds.ts';
import { type KeptRecords, type Validation, validateInput } from './validate.ts';

/** Number of records to show. */
const recordsShown = 3;
/** Maximum number of lines to name per group of problems. */
const linesNamed = 3;
/** Codes of notices that are shown with their file instead. */
const fileNotices: ReadonlySet<string> = new Set(['preset', 'unknown-columns']);
/** Maximum number of groups to show; `problemCount` still counts every problem. */
const groupsShown = 100;

/** A report on how a push would read an input. It is made without contacting the service. */
export interface Inspection<T> {
  readonly kind: RecordKindName;
  readonly files: readonly InspectedFile[];
  /** The first records. */
  readonly first: readonly Entry<T>[];
  /** The paths of the fields with a value in at least one record, in the kind's order. */
  readonly filled: readonly string[];
  readonly recordCount: number;
  /** Number of records in other shards; undefined without a shard. */
  readonly elsewhereCount?: number | undefined;
  readonly problemCount: number;
  /** The first problems, grouped. */
  readonly problems: readonly ProblemGroup[];
  /** Notices not shown elsewhere in the report, such as files without records. */
  readonly notices: readonly Notice[];
  /** Flags that the input needs besides the given ones. The records and problems above are read with them. */
  readonly proposals: readonly Proposal[];
  readonly advice: readonly HintText[];
  /** Settings for `reviewctl.json` or a profile with which such files are read in the same way; undefined if none. */
  readonly settings: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** The complete push command; several if the user must choose. The first one reads the input as shown above. */
  readonly commands: readonly string[];
  /** True if a push with the given flags would send every record. */
  readonly wouldPush: boolean;
}

/** A recognized file and how a push maps its columns. */
export interface InspectedFile {
  readonly file: string;
  readonly confidence: Confidence;
  readonly encoding: Encoding;
  readonly headerLine: number;
  readonly format: 'csv' | 'tsv' | 'json' | 'ndjson' | 'xlsx' | 'html' | 'unknown';
  readonly delimiter: string | undefined;
  /** The sheet that is read; undefined unless the file is a workbook. */
  readonly sheet: string | undefined;
  /** The recognized export, with the headers that identify it. */
  readonly preset: { readonly name: string; readonly signature: readonly string[] } | undefined;
  readonly fields: readonly InspectedField[];
  /** The fields without a source. */
  readonly unfilled: readonly string[];
  readonly unusedColumns: readonly string[];
}

interface InspectedField {
  readonly field: string;
  /** The column, template or flag that supplies its values. */
  readonly from: string;
  readonly origin: SourceOrigin | 'proposal';
}

/** Problems with the same cause. */
export interface ProblemGroup extends Omit<Problem, 'line'> {
  readonly count: number;
  readonly firstLines: readonly number[];
}

/**
 * Inspects how a push with the `given` options would read `input`, and which flags it lacks. Reads the input once, and
 * again if flags can resolve some of its problems.
 * @throws Failure('input') if a mapping does not fit, Failure('usage') if flags are impossible, as a push does.
 */
export async function inspectInput<T extends Identified>(
  input: InputFiles,
  kind: RecordKind<T>,
  given: InputOptions,
): Promise<Inspection<T>> {
  const readHeaders = async (options: InputOptions) => {
    const headers: FirstHeader[] = [];
    for (const file of input.files) headers.push(await readHeader(file, kind, options));
    return headers;
  };
  const asGiven = await readHeaders(given);
  let headers = asGiven;
  let options = given;
  const proposals: Proposal[] = [];
  const use = (found: readonly Proposal[]) => {
    proposals.push(...found);
    options = withProposals(options, found);
    return found.length > 0;
  };
  if (use(proposeSheet(headers))) headers = await readHeaders(options);
  if (use(proposeHeaderRow(headers, kind, options))) headers = await readHeaders(options);
  const bindHeaders = () => headers.map((header) => bindHeader(header, kind, options));
  use(proposeMaps(bindHeaders()));
  const bindings = bindHeaders();
  const read = await readRecords(input, kind, options, headers).catch(unread);
  use(read.proposals);
  const otherExport = headers.map((file) => file.otherExport).find((found) => found !== undefined);
  const isProposed = new Set(proposals.map(subjectOf));
  return {
    kind: kind.name,
    files: headers.map((header, index) => inspectedFile(header, bindings[index], kind, isProposed)),
    first: read.first,
    filled: read.fields,
    recordCount: read.count,
    elsewhereCount: given.shard && read.elsewhereCount,
    problemCount: read.problemCount,
    problems: groupProblems(read.problems),
    notices: read.notices.filter(({ code }) => !fileNotices.has(code)),
    proposals,
    advice: [...new Set(headers.flatMap(({ preset }) => preset?.shape.advice ?? []))],
    settings: settingsToKeep(kind.name, options),
    commands: pushCommands(asGiven, otherExport?.holds ?? kind.name, given, [
      ...proposals,
      ...missingFlags(bindings),
    ]),
    wouldPush: proposals.length === 0 && read.problemCount === 0,
  };
}

/**
 * A recognized file with the header from its first piece. The sheet of a workbook is left out, so that the texts of
 * all inspected files are not held in memory at once.
 */
interface FirstHeader extends FileHeader {
  readonly hasRows: boolean;
}

/** Recognizes a file of records of a kind and reads its header. @throws the failures of `recognize` and `readTable`. */
async function readHeader(
  file: InputFile,
  { name, fields }: RecordKind,
  options: InputOptions,
): Promise<FirstHeader> {
  const recognized = await recognize(file, options, name);
  let seen: FirstHeader = { ...recognized, sheet: undefined, header: [], hasRows: false };
  const table = readTable(recognized, options, { isFirstPiece: true });
  const batches = orderFieldOf(fields) ? itemRows(file, table, { areNew: false }) : table;
  for await (const { header, headerLine, rows, end } of batches) {
    file.stopping.throwIfAborted();
    if (header.length === 0) continue;
    // The first row may be unreadable, and may be in a later batch than the header.
    seen = { ...seen, header, headerLine, hasRows: rows.length > 0 || end !== undefined };
    if (seen.hasRows) break;
  }
  return seen;
}

/** The binding of a header; undefined if the file has no rows or is another export. */
function bindHeader(header: FirstHeader, kind: RecordKind, options: InputOptions): Binding | undefined {
  if (!header.hasRows || header.otherExport !== undefined) return undefined;
  return bind(kind, header, options);
}

interface ReadRecords<T> extends Validation {
  readonly first: readonly Entry<T>[];
  readonly proposals: readonly Proposal[];
}

/** Turns a failure of the input into a problem. Other failures, of flags or the disk, are rethrown. */
function unread(failure: unknown): ReadRecords<never> {
  if (!(failure instanceof Failure) || failure.kind !== 'input') throw failure;
  const { message, nextStep = '', place } = failure;
  const { file = '', line } = place;
  const reason = line === undefined ? message : message.replace(`${file}:${line}: `, '');
  const problem: Problem = { file, line, code: 'unreadable', reason, remedy: nextStep };
  const nothing = { first: [], fields: [], count: 0, elsewhereCount: 0, notices: [], proposals: [] };
  return { ...nothing, problemCount: 1, problems: [problem] };
}

/** Reads the whole input, a second time if flags can resolve some of its problems. */
async function readRecords<T extends Identified>(
  input: InputFiles,
  kind: RecordKind<T>,
  options: InputOptions,
  headers: readonly FirstHeader[],
): Promise<ReadRecords<T>> {
  let first: readonly Entry<T>[] = [];
  const kept: KeptRecords<T> = {
    add: (entries) => {
      if (first.length < recordsShown) first = [...first, ...entries].slice(0, recordsShown);
    },
  };
  const found = await validateInput(input, kind, options, kept);
  const codes = new Set(found.problems.map(({ code }) => code));
  const proposals = proposeForProblems(codes, headers, options.shopUrl);
  if (proposals.length === 0) return { ...found, first, proposals };
  first = [];
  const withFixes = await validateInput(input, kind, withProposals(options, proposals), kept);
  return { ...withFixes, first, proposals };
}

function formatName(format: FirstHeader['format']): InspectedFile['format'] {
  if (format.kind !== 'delimited') return format.kind;
  if (format.isHtml) return 'html';
  return format.delimiter === '\t' ? 'tsv' : 'csv';
}

function inspectedFile(
  { file, format, headerLine, confidence, sheets, preset }: FirstHeader,
  binding: Binding | undefined,
  kind: RecordKind,
  isProposed: ReadonlySet<string>,
): InspectedFile {
  const columns = binding?.columns ?? [];
  const bound = new Set(columns.map(({ field }) => field.path));
  return {
    file: file.shownAs,
    format: formatName(format),
    // The encoding of all text read so far: the first piece alone may be ASCII.
    encoding: file.encoding,
    delimiter: format.kind === 'delimited' && !format.isHtml ? format.delimiter : undefined,
    sheet: sheets?.name,
    headerLine,
    confidence,
    preset: preset && {
      name: preset.name,
      signature: preset.row === undefined ? [] : preset.shape.signature,
    },
    fields: columns.map(({ field: { path }, shownAs, origin }) => ({
      field: path,
      from: shownAs,
      origin: origin === '--map' && isProposed.has(path) ? 'proposal' : origin,
    })),
    unfilled: kind.fields
      .filter(({ path, isServiceId }) => !bound.has(path) && !isServiceId)
      .map(({ path }) => path),
    unusedColumns: (binding?.unusedColumns ?? []).map(({ column }) => column),
  };
}

function groupProblems(problems: readonly Problem[]): readonly ProblemGroup[] {
  const groups = new Map<string, { first: Problem; count: number; lines: number[] }>();
  for (const problem of problems) {
    const { file, code, column = '', reason, line } = problem;
    const key = JSON.stringify([file, code, column, reason]);
    const group = groups.get(key) ?? { first: problem, count: 0, lines: [] };
    groups.set(key, group);
    group.count += 1;
    if (line !== undefined && group.lines.length < linesNamed) group.lines.push(line);
  }
  return [...groups.values()].slice(0, groupsShown).map(({ first, count, lines }) => {
    const { line: _line, ...alike } = first;
    return { ...alike, count, firstLines: lines };
  });
}
