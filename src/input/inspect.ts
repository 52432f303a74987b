import { Failure } from '../base/failure.ts';
import { shellWord } from '../base/shell-word.ts';
import { type KeptRecords, rereadRecords } from './checks/read.ts';
import { itemRows } from './formats/json/item-rows.ts';
import { type FilePreview, previewFile } from './formats/preview.ts';
import { readTable, sheetNames } from './formats/table.ts';
import type { SheetNames } from './formats/workbook/xlsx.ts';
import { type Binding, bind, type ColumnChoice, choiceMaps } from './mapping/binding.ts';
import type { SourceOrigin } from './mapping/columns.ts';
import { findHeaderBelow } from './mapping/header-below.ts';
import { findLayout, type Layout } from './mapping/layout.ts';
import { readMapping } from './mapping/mapping.ts';
import type { InputFile } from './open/input-file.ts';
import type { InputFiles } from './open/open.ts';
import type { InputOptions } from './records/options.ts';
import type { Notice, Problem } from './records/problem.ts';
import type { Entry, Identified, RecordKind, RecordKindName } from './records/record-kinds.ts';
import { validateInput } from './validate.ts';

/** How many records are shown. */
const recordsShown = 3;
/** How many lines of alike problems are named. */
const linesNamed = 3;
/** Notices whose matter is told with each file. */
const fileNotices: ReadonlySet<string> = new Set(['preset', 'unknown-columns']);
/** How many groups of problems are told; all problems are counted. */
const groupsShown = 100;

/** What a push would make of an input, found without asking anybody. */
export interface Inspection<T> {
  readonly kind: RecordKindName;
  readonly files: readonly InspectedFile[];
  /** The first records as they were read. */
  readonly first: readonly Entry<T>[];
  /** The paths of the fields that at least one record has a value for, in the kind's order. */
  readonly filled: readonly string[];
  readonly recordCount: number;
  readonly problemCount: number;
  /** The first of them, alike ones together. */
  readonly problems: readonly ProblemGroup[];
  /** What is worth knowing and shows nowhere else, such as files without records. */
  readonly notices: readonly Notice[];
  /** What the input needs beyond the flags that were given; everything above is as it would be with them. */
  readonly proposals: readonly Proposal[];
  readonly advice: readonly string[];
  /** What `reviewctl.json`, or a profile, takes so that such files are read like this again; undefined where there is nothing to keep. */
  readonly settings: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** The push, complete; several where the user must choose, the first being what is shown above. */
  readonly commands: readonly string[];
  /** Whether a push with the flags that were given would send everything. */
  readonly wouldPush: boolean;
}

export interface InspectedFile {
  readonly file: string;
  readonly format: string;
  readonly encoding: string;
  readonly delimiter: string | undefined;
  readonly headerLine: number;
  /** The export it is read as, with the headers that gave it away. */
  readonly preset: { readonly name: string; readonly signature: readonly string[] } | undefined;
  readonly fields: readonly InspectedField[];
  /** Fields that nothing gives. */
  readonly unfilled: readonly string[];
  readonly unusedColumns: readonly string[];
}

export interface InspectedField {
  readonly field: string;
  /** The column, template or flag its values come from. */
  readonly from: string;
  readonly origin: SourceOrigin | 'proposal';
}

/** Problems that are alike. */
export interface ProblemGroup extends Omit<Problem, 'line'> {
  readonly count: number;
  readonly firstLines: readonly number[];
}

/** A flag that the input needs, as a push takes it. */
interface PushFlag {
  readonly flag: '--map' | '--set' | '--image-base-url' | '--header-row' | '--sheet' | '--product-key';
  readonly value: string;
  /** The other values it may have. */
  readonly alternatives: readonly string[];
}

export interface Proposal extends PushFlag {
  readonly reason: string;
}

/**
 * Tells what a push of `input` would do, and what it lacks; `given` is what the flags said. Reads everything, once or, where
 * something is proposed, twice. Throws `input` for a mapping that does not fit and `usage` for impossible flags, as a push does.
 */
export async function inspectInput<T extends Identified>(
  input: InputFiles,
  kind: RecordKind<T>,
  given: InputOptions,
): Promise<Inspection<T>> {
  const ofSheets = await proposalsOfSheets(input.files, given);
  const ofOneSheet = withProposals(given, ofSheets);
  const ofRows = await proposalsOfRows(input.files, kind, ofOneSheet);
  const placed = withProposals(ofOneSheet, ofRows);
  const headers: FileHeader[] = [];
  for (const file of input.files) headers.push(await readHeader(file, kind, placed));
  const ofColumns = proposalsOfHeaders(headers.map((header) => bindingOf(header, kind, placed)));
  const ofHeaders = [...ofRows, ...ofColumns];
  const mapped = withProposals(ofOneSheet, ofHeaders);
  const bindings = headers.map((header) => bindingOf(header, kind, mapped));
  const read = await readRecords(input, kind, mapped, headers).catch(unread);
  const proposals = [...ofSheets, ...ofHeaders, ...read.proposals];
  const otherExport = headers.map(({ layout }) => layout.otherExport).find((found) => found !== undefined);
  const isProposed = new Set(proposals.map(pathOf));
  return {
    kind: kind.name,
    files: headers.map((header, index) => inspectedFile(header, bindings[index], kind, isProposed)),
    first: read.first,
    filled: read.filled,
    recordCount: read.recordCount,
    problemCount: read.problemCount,
    problems: groupProblems(read.problems),
    notices: read.notices,
    proposals,
    advice: [...new Set(headers.flatMap(({ layout }) => layout.preset?.shape.advice ?? []))],
    settings: settingsFor(kind.name, withProposals(given, proposals)),
    commands: await commandsFor(input, otherExport?.holds ?? kind.name, given, [
      ...proposals,
      ...missingFlags(bindings),
    ]),
    wouldPush: proposals.length === 0 && read.problemCount === 0,
  };
}

/** The row of the header, where all files have it in one place and none has it where it is looked for. */
async function proposalsOfRows<T>(
  files: readonly InputFile[],
  kind: RecordKind<T>,
  given: InputOptions,
): Promise<readonly Proposal[]> {
  const mapping = readMapping(given, kind);
  const lines = new Set<number | undefined>();
  for (const file of files) {
    const layout = findLayout(await previewFile(file, given), kind.name, given);
    const shape = layout.preset?.shape;
    const below = findHeaderBelow(layout, (place) =>
      bind(kind, mapping, { file: file.shownAs, ...place }, given, shape),
    );
    lines.add(below?.line);
  }
  const [line] = lines;
  if (line === undefined || lines.size > 1) return [];
  const reason = `line ${line} looks like the header, and not the one above`;
  return [{ flag: '--header-row', value: String(line), reason, alternatives: [] }];
}

interface FileHeader {
  readonly layout: Layout;
  readonly file: string;
  readonly header: readonly string[];
  readonly headerLine: number;
  readonly hasRows: boolean;
}

async function readHeader<T>(
  file: InputFile,
  { name, fields }: RecordKind<T>,
  options: InputOptions,
): Promise<FileHeader> {
  const preview = await previewFile(file, options);
  const layout = findLayout(preview, name, options);
  const settings = { ...layout.options, guideRows: layout.guideRows };
  let seen: FileHeader = { layout, file: file.shownAs, header: [], headerLine: 1, hasRows: false };
  const table = readTable(preview, settings);
  const isOfOrders = fields.some(({ isOfOrder }) => isOfOrder);
  const batches = isOfOrders ? itemRows(file, table, { areNew: false }) : table;
  for await (const { header, headerLine, rows, problems } of batches) {
    file.stopping.throwIfAborted();
    if (header.length === 0) continue;
    // The first row may be one that cannot be read, and come in a later batch than the header.
    seen = { ...seen, header, headerLine, hasRows: rows.length + problems.length > 0 };
    if (seen.hasRows) break;
  }
  return seen;
}

/** Undefined where no row could be read with it. */
function bindingOf<T>(header: FileHeader, kind: RecordKind<T>, options: InputOptions): Binding | undefined {
  const { layout, hasRows } = header;
  if (!hasRows || layout.otherExport !== undefined) return undefined;
  const place = { ...header, firstRows: layout.preview.rows };
  return bind(kind, readMapping(options, kind), place, options, layout.preset?.shape);
}

/** Among sheets that are alike somebody has to choose; of several workbooks only those can be chosen that all of them have. */
async function proposalsOfSheets(
  files: readonly InputFile[],
  options: InputOptions,
): Promise<readonly Proposal[]> {
  const workbooks: SheetNames[] = [];
  for (const file of files) {
    const found = await sheetNames(file, options);
    if (found !== undefined) workbooks.push(found);
  }
  const open = workbooks.find(({ isOpen }) => isOpen);
  const shared = open?.names.filter((name) => workbooks.every(({ names }) => names.includes(name)));
  const [value, ...alternatives] = shared ?? [];
  if (value === undefined) return [];
  const reason = 'these sheets have the same columns, and one of them is read at a time: choose';
  return [{ flag: '--sheet', value, reason, alternatives }];
}

function proposalsOfHeaders(bindings: readonly (Binding | undefined)[]): readonly Proposal[] {
  const proposals = new Map<string, Proposal>();
  for (const binding of bindings) {
    for (const choice of binding?.choices ?? []) addProposal(proposals, choiceProposal(choice));
    for (const value of binding?.proposals ?? []) {
      const reason = `no column gives the ${value.slice(0, value.indexOf('='))} that every record needs`;
      addProposal(proposals, { flag: '--map', value, reason, alternatives: [] });
    }
  }
  return [...proposals.values()];
}

/** What no proposal fills in and a person has to; a command without it would be refused once all else is corrected. */
function missingFlags(bindings: readonly (Binding | undefined)[]): readonly PushFlag[] {
  const maps = new Set(bindings.flatMap((binding) => binding?.suggestedMaps ?? []));
  const keys = bindings.flatMap((binding) => binding?.keyRemedy ?? []).slice(0, 1);
  const lacks = [...maps].map((value) => ({ flag: '--map', value }) as const);
  return [...lacks, ...keys].map((flag) => ({ ...flag, alternatives: [] }));
}

function choiceProposal(choice: ColumnChoice): Proposal {
  const [value = '', ...alternatives] = choiceMaps(choice);
  const reason = `${choice.path} can come from ${choice.columns.join(' or ')}, which may mean different things: choose`;
  return { flag: '--map', value, reason, alternatives };
}

function addProposal(proposals: Map<string, Proposal>, proposal: Proposal): void {
  const path = pathOf(proposal);
  if (!proposals.has(path)) proposals.set(path, proposal);
}

/** The field a proposal speaks of. */
function pathOf({ flag, value }: Proposal): string {
  if (flag === '--sheet') return flag;
  return flag === '--image-base-url' ? 'imageUrl' : fieldOf(value);
}

/** The field of what `--map` or `--set` takes. */
function fieldOf(assignment: string): string {
  return assignment.slice(0, assignment.indexOf('='));
}

function withProposals(options: InputOptions, proposals: readonly Proposal[]): InputOptions {
  const valuesOf = (wanted: Proposal['flag']) =>
    proposals.filter(({ flag }) => flag === wanted).map(({ value }) => value);
  const [imageBaseUrl] = valuesOf('--image-base-url');
  const [headerRow] = valuesOf('--header-row');
  const [sheet] = valuesOf('--sheet');
  return {
    ...options,
    map: [...options.map, ...valuesOf('--map')],
    set: [...options.set, ...valuesOf('--set')],
    ...(imageBaseUrl === undefined ? {} : { imageBaseUrl }),
    ...(headerRow === undefined ? {} : { headerRow: Number(headerRow) }),
    ...(sheet === undefined ? {} : { sheet }),
  };
}

interface ReadRecords<T> {
  readonly first: readonly Entry<T>[];
  readonly filled: readonly string[];
  readonly recordCount: number;
  readonly problemCount: number;
  readonly problems: readonly Problem[];
  readonly notices: readonly Notice[];
  readonly proposals: readonly Proposal[];
}

/** What stops the reading of all is a problem like any other; what is wrong with flags or disk is none of the input. */
function unread(failure: unknown): ReadRecords<never> {
  if (!(failure instanceof Failure) || failure.kind !== 'input') throw failure;
  const { message, hint = '', place } = failure;
  const { file = '', line } = place;
  const reason = line === undefined ? message : message.replace(`${file}:${line}: `, '');
  const problem = { file, ...(line === undefined ? {} : { line }), code: 'lack', reason, remedy: hint };
  const nothing = { first: [], filled: [], recordCount: 0, notices: [], proposals: [] };
  return { ...nothing, problemCount: 1, problems: [problem] };
}

/** Reads everything; again where what is wrong can be mended by a flag. */
async function readRecords<T extends Identified>(
  input: InputFiles,
  kind: RecordKind<T>,
  options: InputOptions,
  headers: readonly FileHeader[],
): Promise<ReadRecords<T>> {
  const first: Entry<T>[] = [];
  const shown = (settings: InputOptions): KeptRecords<T> => {
    first.length = 0;
    const add = (entries: readonly Entry<T>[]) => {
      if (first.length < recordsShown) first.push(...entries.slice(0, recordsShown - first.length));
    };
    return { ...rereadRecords(input, kind, settings), add };
  };
  const found = await validateInput(input, kind, options, shown(options));
  const codes = new Set(found.problems.map(({ code }) => code));
  const proposals = proposalsOfCells(codes, headers, options.shopUrl);
  const mended = withProposals(options, proposals);
  const { count, fields, problems, problemCount, notices } =
    proposals.length === 0 ? found : await validateInput(input, kind, mended, shown(mended));
  const others = notices.filter(({ code }) => !fileNotices.has(code));
  return { first, filled: fields, recordCount: count, problemCount, problems, notices: others, proposals };
}

/** Where the images of a shop are: where its system keeps them, with a name to be filled in where the shop is not known. */
function imageBaseUrlOf(headers: readonly FileHeader[], shopUrl: string | undefined): string {
  const known = headers
    .map(({ layout }) => layout.preset?.shape.imageBaseUrl)
    .find((url) => url !== undefined);
  if (shopUrl === undefined) return known ?? 'https://YOUR-SHOP.example/images/';
  return new URL(known === undefined ? '/' : new URL(known).pathname, shopUrl).href;
}

function proposalsOfCells(
  codes: ReadonlySet<string>,
  headers: readonly FileHeader[],
  shopUrl: string | undefined,
): readonly Proposal[] {
  const proposals: Proposal[] = [];
  if (codes.has('relative-image')) {
    const reason = 'images are written as paths, and the service needs whole addresses';
    const toDo =
      'put the name of your shop in place of YOUR-SHOP, or keep its address: reviewctl config set shop-url https://…';
    proposals.push({
      flag: '--image-base-url',
      value: imageBaseUrlOf(headers, shopUrl),
      reason: shopUrl === undefined ? `${reason}: ${toDo}` : reason,
      alternatives: [],
    });
  }
  if (codes.has('status-under-way')) {
    const reason =
      'some items are still under way, and the service has no word for that: leave the status of all out, or push these items later';
    proposals.push({ flag: '--set', value: 'status=', reason, alternatives: [] });
  }
  if (codes.has('masked-member')) {
    const reason =
      'ids of members are masked, so several people may share one: leave them out, or map a column with whole ids';
    proposals.push({ flag: '--set', value: 'memberOriginId=', reason, alternatives: [] });
  }
  return proposals;
}

function formatName({ format, delimiter }: FilePreview): string {
  if (format !== 'delimited') return format;
  return delimiter === '\t' ? 'tsv' : 'csv';
}

function inspectedFile<T>(
  { file, layout, headerLine }: FileHeader,
  binding: Binding | undefined,
  kind: RecordKind<T>,
  isProposed: ReadonlySet<string>,
): InspectedFile {
  const { preview, preset } = layout;
  const readers = binding?.readers ?? [];
  const bound = new Set(readers.map(({ field }) => field.path));
  return {
    file,
    format: formatName(preview),
    encoding: preview.file.encoding,
    delimiter: preview.delimiter,
    headerLine,
    preset: preset && { name: preset.name, signature: preset.signature },
    fields: readers.map(({ field: { path }, shownAs, origin }) => ({
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

/** Named for this kind of record alone, so that files of several kinds can stand in one folder. */
function settingsFor(
  kind: RecordKindName,
  { preset, productKey, map, set, imageBaseUrl, carriers = [] }: InputOptions,
): Inspection<never>['settings'] {
  const settings = {
    ...(preset === undefined ? {} : { preset }),
    ...(map.length === 0 ? {} : { map }),
    ...(set.length === 0 ? {} : { set }),
    ...(carriers.length === 0 ? {} : { carrier: carriers }),
    ...(imageBaseUrl === undefined ? {} : { 'image-base-url': imageBaseUrl }),
  };
  const named = Object.entries(settings).map(([key, value]) => [`${kind}.${key}`, value] as const);
  // One shop knows its products by one key, whatever a file holds.
  const ofShop = productKey === undefined ? [] : [['product-key', productKey] as const];
  const all = [...ofShop, ...named];
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

/** The commands that push the input; workbooks that have to be chosen from and share no sheet go one by one. */
async function commandsFor(
  { files }: InputFiles,
  kind: RecordKindName,
  given: InputOptions,
  proposals: readonly PushFlag[],
): Promise<readonly string[]> {
  const isChosen = proposals.some(({ flag }) => flag === '--sheet');
  const alone = await Promise.all(files.map((file) => proposalsOfSheets([file], given)));
  if (isChosen || alone.flat().length === 0) return waysToPush(files, kind, given, proposals);
  return files.flatMap((file, at) => waysToPush([file], kind, given, [...(alone[at] ?? []), ...proposals]));
}

/** One command for every way to choose; where several things are to be chosen each takes its next one. */
function waysToPush(
  files: readonly InputFile[],
  kind: RecordKindName,
  given: InputOptions,
  proposals: readonly PushFlag[],
): readonly string[] {
  const isProposed = (flag: PushFlag['flag']) => proposals.some((proposal) => proposal.flag === flag);
  const isReplaced = (map: string) =>
    proposals.some(({ flag, value }) => flag === '--map' && fieldOf(value) === fieldOf(map));
  const kept: InputOptions = {
    ...given,
    map: given.map.filter((map) => !isReplaced(map)),
    ...(isProposed('--product-key') && { productKey: undefined }),
  };
  const { headerRow: _headerRow, ...others } = kept;
  const start = [
    'reviewctl',
    kind,
    'push',
    ...files.map(({ shownAs }) => fileWord(shownAs)),
    ...flagWords(isProposed('--header-row') ? others : kept),
  ];
  const ways = Math.max(1, ...proposals.map(({ alternatives }) => alternatives.length + 1));
  return Array.from({ length: ways }, (_, way) => {
    const flags = proposals.map(({ flag, value, alternatives }) => {
      const values = [value, ...alternatives];
      return `${flag} ${shellWord(values[Math.min(way, values.length - 1)] ?? value)}`;
    });
    return [...start, ...flags].join(' ');
  });
}

/** A file whose name would be taken for a flag is named with its folder. */
function fileWord(path: string): string {
  return shellWord(path.startsWith('-') && path !== '-' ? `./${path}` : path);
}

function flagWords(options: InputOptions): readonly string[] {
  const { format, encoding, delimiter, sheet, headerRow, preset, productKey, nullWord, imageBaseUrl } =
    options;
  const given: readonly (readonly [string, string | number | undefined])[] = [
    ['--format', format],
    ['--encoding', encoding],
    ['--delimiter', delimiter],
    ['--sheet', sheet],
    ['--header-row', headerRow],
    ['--preset', preset],
    ['--product-key', productKey],
    ...options.map.map((value) => ['--map', value] as const),
    ...options.set.map((value) => ['--set', value] as const),
    ...(options.carriers ?? []).map((value) => ['--carrier', value] as const),
    ['--time-zone', options.timeZone === '+09:00' ? undefined : options.timeZone],
    ['--null-word', nullWord],
    ...(options.allow ?? []).map((trace) => ['--allow', trace] as const),
    ['--image-base-url', imageBaseUrl],
  ];
  return given.flatMap(([flag, value]) =>
    value === undefined ? [] : [`${flag} ${shellWord(String(value))}`],
  );
}
