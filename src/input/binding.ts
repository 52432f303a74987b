import { Failure } from '../base/failure.ts';
import { isFilled } from './cells/filled.ts';
import { type CellReader, cellReader } from './cells/read-cell.ts';
import type { Field } from './field.ts';
import { comparisonKey, HeaderIndex, nearestHeader } from './headers.ts';
import type { Mapping, Source, TemplatePart } from './mapping.ts';
import type { Cell, InputOptions, Problem, Stretch } from './place.ts';
import { neutralNames } from './presets/neutral-names.ts';
import type { ColumnNames, ExportShape } from './presets/preset.ts';
import type { RecordKind } from './record-kinds.ts';
import { shellWord } from './shell-word.ts';

/** How one field of a record is filled from a row. */
export interface Step {
  readonly field: Field;
  /** The path of the field, taken apart at its dot. */
  readonly names: readonly [string, string?];
  /** The column, template or flag the value comes from, as a problem names it. */
  readonly shownAs: string;
  /** The columns it comes from; none for what is the same in every row. */
  readonly columns: readonly number[];
  /** Why it comes from there. */
  readonly origin: Origin;
  readonly take: Taker;
  readonly read: CellReader;
}

/** A flag, the field's own name, what is known of this export, or a name that means the field anywhere. */
export type Origin = '--set' | '--map' | 'own name' | 'preset' | 'synonym';

/** Several columns that a field may come from, each meaning something else. */
export interface Choice {
  readonly path: string;
  readonly columns: readonly string[];
}

/** The cell of a row; `position` is the number of the row within its order, from 1. */
type Taker = (cells: readonly Cell[], position: number) => Cell;

/** How the rows under a header become records. */
export interface Binding {
  /** In the order of the kind's fields; a field nothing speaks of has none. */
  readonly steps: readonly Step[];
  readonly unusedColumns: readonly UnusedColumn[];
  /** What is wrong with the header itself: no row under it can be trusted. */
  readonly problems: readonly Problem[];
  /** What the user must choose; each is among the problems, too. */
  readonly choices: readonly Choice[];
  /** What would fill a lack, as `--map` takes it. */
  readonly proposals: readonly string[];
  /** A column that is named or needed and not there; a later record of JSON may still bring it. */
  readonly lack: Failure | undefined;
}

/** A column that no field speaks of, and the field without a column that it was perhaps meant to be. */
export interface UnusedColumn {
  readonly column: string;
  readonly nearest: string | undefined;
}

type Header = Pick<Stretch, 'header' | 'headerLine'> & { readonly file: string };

/**
 * Finds the column of every field of `kind`: by `--set`, else `--map`, else by the field's own name, else by the names that
 * `shape` knows (the export the file was recognised as), else by those that mean the field anywhere. A name that stands in
 * the header twice is a problem only where a field needs it; columns that may both be meant are one.
 */
export function bind<T>(
  kind: RecordKind<T>,
  mapping: Mapping,
  header: Header,
  options: InputOptions,
  shape?: ExportShape,
): Binding {
  const columns = new Columns(header, shape?.misleading);
  const steps: Step[] = [];
  const choices: Choice[] = [];
  for (const field of kind.fields) {
    const found = findSource(field, mapping, columns, [shape?.columns, neutralNames[kind.name]]);
    if (found === undefined) continue;
    if ('columns' in found) {
      choices.push({ path: field.path, columns: found.columns });
      continue;
    }
    const { source, origin } = found;
    const take = takerOf(source, columns);
    steps.push({
      field,
      names: namesOf(field.path),
      shownAs: shownSource(source, columns),
      columns: namesIn(source).map((name) => columns.find(name)),
      origin,
      take,
      read: cellReader(field.type, options, shape?.habits),
    });
  }
  const missing = missingPaths(kind, steps, choices);
  const proposals = missing.flatMap((path) => proposalFor(path, kind, steps, shape));
  const wrong = columns.forbiddenProblem() ?? columns.ambiguousProblem();
  return {
    steps,
    unusedColumns: columns.unused(kind.fields, steps),
    problems: [...(wrong ? [wrong] : []), ...choices.map((choice) => choiceProblem(choice, header))],
    choices,
    proposals,
    lack: columns.missingFailure() ?? lackOfRequired(kind, missing, proposals, header),
  };
}

type Found = { readonly source: Source; readonly origin: Origin } | Pick<Choice, 'columns'>;

function findSource(
  field: Field,
  mapping: Mapping,
  columns: Columns,
  [ofPreset, anywhere]: readonly (Readonly<Record<string, ColumnNames>> | undefined)[],
): Found | undefined {
  const given = mapping.get(field.path);
  if (given) return { source: given, origin: given.kind === 'constant' ? '--set' : '--map' };
  const own = columns.ownSource(field);
  if (own) return { source: own, origin: 'own name' };
  const known = columns.sourceNamed(ofPreset?.[field.path], 'preset');
  return known ?? columns.sourceNamed(anywhere?.[field.path], 'synonym');
}

/** What makes the choice, as `--map` takes it: one for each column. */
export function choiceMaps({ path, columns }: Choice): readonly string[] {
  return columns.map((column) => `${path}=${column}`);
}

function choiceProblem(choice: Choice, { file, headerLine: line }: Header): Problem {
  const { path, columns } = choice;
  const flags = choiceMaps(choice).map((value) => `--map ${shellWord(value)}`);
  return {
    file,
    line,
    code: 'ambiguous-columns',
    reason: `${path} can come from ${columns.join(' or ')}, which may mean different things`,
    remedy: `choose one of them:\n${flags.join('\n')}`,
  };
}

/** The paths of the fields that every record needs and no column gives. */
function missingPaths<T>(
  { fields, knownBy = [] }: RecordKind<T>,
  steps: readonly Step[],
  choices: readonly Choice[],
): readonly string[] {
  const found = new Set([...steps.map(({ field }) => field.path), ...choices.map(({ path }) => path)]);
  const lacks = fields.filter(({ isRequired, path }) => isRequired && !found.has(path));
  const isUnknown = knownBy.length > 0 && !knownBy.some((path) => found.has(path));
  return [...(isUnknown ? ['originId'] : []), ...lacks.map(({ path }) => path)];
}

/** What the export is known to need; and for items without an id, their number within the order. */
function proposalFor<T>(
  path: string,
  { fields }: RecordKind<T>,
  steps: readonly Step[],
  shape: ExportShape | undefined,
): readonly string[] {
  const known = shape?.proposals?.[path];
  if (known !== undefined) return [`${path}=${known}`];
  const orderKey = fields.find(({ isOfOrder }) => isOfOrder)?.path;
  const order = steps.find(({ field }) => field.path === orderKey);
  if (path !== 'originId' || order?.columns.length !== 1 || /[{}|]/.test(order.shownAs)) return [];
  return [`${path}={${order.shownAs}}-{n}`];
}

/** The name of a field in its record, and in the object there when it is nested. */
function namesOf(path: string): readonly [string, string?] {
  const [name = path, nested] = path.split('.');
  return nested === undefined ? [name] : [name, nested];
}

/** The columns of a header by name; remembers which were asked for. */
class Columns {
  readonly #header: Header;
  readonly #index: HeaderIndex;
  readonly #used = new Set<number>();
  readonly #misleading: readonly string[];
  #missing: string | undefined;
  #ambiguous: string | undefined;

  constructor(header: Header, misleading: readonly string[] = []) {
    this.#header = header;
    this.#misleading = misleading;
    this.#index = new HeaderIndex(header.header);
  }

  ownSource({ path }: Field): Source | undefined {
    const found = this.#index.columnsNamed(path);
    const isMeant = found.some((column) => !this.#misleading.includes(this.#header.header[column] ?? ''));
    return isMeant ? { kind: 'column', name: path } : undefined;
  }

  /** The column called by the first of `names` that is there; a choice where several in one place are. */
  sourceNamed(names: ColumnNames = [], origin: Origin): Found | undefined {
    for (const place of names) {
      const found = [place].flat().flatMap((name) => this.#index.columnsNamed(name));
      const columns = [...new Set(found.map((column) => this.#header.header[column] ?? ''))];
      const [name, another] = columns;
      if (name === undefined) continue;
      if (another === undefined) return { source: { kind: 'column', name }, origin };
      for (const column of found) this.#used.add(column);
      return { columns };
    }
    return undefined;
  }

  /** A column as the file writes it. */
  shown(name: string): string {
    const [column = -1] = this.#index.columnsNamed(name);
    return this.#header.header[column] ?? name;
  }

  /** The index of the column `name`; -1, and remembered as missing, when there is none. */
  find(name: string): number {
    const found = this.#index.columnsNamed(name);
    for (const column of found) this.#used.add(column);
    if (found.length === 0) this.#missing ??= name;
    if (found.length > 1) this.#ambiguous ??= name;
    return found[0] ?? -1;
  }

  missingFailure(): Failure | undefined {
    if (this.#missing === undefined) return undefined;
    const nearest = nearestHeader(this.#missing, this.#header.header);
    return lacking(
      this.#header,
      `there is no column '${this.#missing}'`,
      nearest ? `did you mean '${nearest}'?` : '',
    );
  }

  ambiguousProblem(): Problem | undefined {
    return this.#problem(this.#ambiguous, {
      code: 'duplicate-header',
      reason: 'this column is needed and stands in the header more than once',
      remedy: 'rename or remove the columns that are not meant, or choose another one with --map',
    });
  }

  forbiddenProblem(): Problem | undefined {
    const forbidden = this.#header.header.find((name) => name.split('.').includes('__proto__'));
    return this.#problem(forbidden, {
      code: 'forbidden-header',
      reason: 'no column can have this name',
      remedy: 'rename or remove the column',
    });
  }

  #problem(
    column: string | undefined,
    about: Pick<Problem, 'code' | 'reason' | 'remedy'>,
  ): Problem | undefined {
    const { file, headerLine: line } = this.#header;
    return column === undefined ? undefined : { file, line, column, ...about };
  }

  unused(fields: readonly Field[], steps: readonly Step[]): UnusedColumn[] {
    const known = new Set(fields.map(({ path }) => comparisonKey(path)));
    const bound = new Set(steps.map(({ field }) => field));
    const free = fields.filter((field) => !bound.has(field)).map(({ path }) => path);
    return this.#header.header
      .filter((name, column) => name !== '' && !this.#used.has(column) && !known.has(comparisonKey(name)))
      .map((column) => ({ column, nearest: nearestHeader(column, free) }));
  }
}

function takerOf(source: Source, columns: Columns): Taker {
  switch (source.kind) {
    case 'constant':
      return () => source.value;
    case 'column': {
      const column = columns.find(source.name);
      return (cells) => cells[column];
    }
    case 'template':
      return templateTaker(source.parts.map((part) => partTaker(part, columns)));
  }
}

function partTaker(part: TemplatePart, columns: Columns): Taker {
  switch (part.kind) {
    case 'text':
      return () => part.text;
    case 'counter':
      return (_cells, position) => String(position);
    case 'columns': {
      const found = part.names.map((name) => columns.find(name));
      return (cells) => {
        const cell = found.map((column) => cells[column]).find(isFilled);
        return typeof cell === 'string' ? cell.trim() : cell;
      };
    }
  }
}

/** Joins the parts; blank where one of them is. What is no text stays what it is, for the field to refuse. */
function templateTaker(parts: readonly Taker[]): Taker {
  const [only, ...others] = parts;
  if (only && others.length === 0) return only;
  return (cells, position) => {
    let joined = '';
    for (const part of parts) {
      const cell = part(cells, position);
      if (typeof cell !== 'string') return cell;
      joined += cell;
    }
    return joined;
  };
}

/** The names of columns a source speaks of. */
function namesIn(source: Source): readonly string[] {
  switch (source.kind) {
    case 'constant':
      return [];
    case 'column':
      return [source.name];
    case 'template':
      return source.parts.flatMap((part) => (part.kind === 'columns' ? part.names : []));
  }
}

function shownSource(source: Source, columns: Columns): string {
  switch (source.kind) {
    case 'constant':
      return '--set';
    case 'column':
      return columns.shown(source.name);
    case 'template':
      return source.written;
  }
}

function lackOfRequired<T>(
  { name, knownBy = [] }: RecordKind<T>,
  [path]: readonly string[],
  [proposal]: readonly string[],
  header: Header,
): Failure | undefined {
  if (path === undefined) return undefined;
  const nearest = nearestHeader(path, header.header);
  const needed = knownBy.includes(path) ? knownBy.join(' or ') : path;
  const example = proposal?.startsWith(`${path}=`) ? proposal : `${path}=${nearest ?? 'HEADER'}`;
  return lacking(
    header,
    `no column gives the ${needed} that ${name} need`,
    `name it with --map ${shellWord(example)};`,
  );
}

/** How many columns of a header a message lists. */
const columnsListed = 100;

function lacking({ file, header, headerLine: line }: Header, what: string, hint: string): Failure {
  const named = header.filter((name) => name !== '');
  const more = named.length > columnsListed ? ', …' : '';
  const columns = named.slice(0, columnsListed).join(', ') + more;
  return new Failure('input', `${file}:${line}: ${what}`, `${hint} the columns are ${columns}`.trim(), {
    file,
    line,
  });
}
