import { Failure } from '../base/failure.ts';
import { isFilled } from './cells/filled.ts';
import { type CellReader, cellReader } from './cells/read-cell.ts';
import type { Field } from './field.ts';
import { comparisonKey, HeaderIndex, nearestName } from './headers.ts';
import type { Mapping, Source, TemplatePart } from './mapping.ts';
import type { Cell, InputOptions, Problem, Stretch } from './place.ts';
import type { RecordKind } from './record-kinds.ts';

/** How one field of a record is filled from a row. */
export interface Step {
  readonly field: Field;
  /** The path of the field, taken apart at its dot. */
  readonly names: readonly [string, string?];
  /** The column, template or flag the value comes from, as a problem names it. */
  readonly shownAs: string;
  /** The columns it comes from; none for what is the same in every row. */
  readonly columns: readonly number[];
  readonly take: Taker;
  readonly read: CellReader;
}

/** The cell of a row; `position` is the number of the row within its order, from 1. */
type Taker = (cells: readonly Cell[], position: number) => Cell;

/** How the rows under a header become records. */
export interface Binding {
  /** In the order of the kind's fields; a field nothing speaks of has none. */
  readonly steps: readonly Step[];
  readonly unusedColumns: readonly UnusedColumn[];
  /** What is wrong with the header itself: no row under it can be trusted. */
  readonly problem: Problem | undefined;
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
 * Finds the column of every field of `kind`: by `--set`, else `--map`, else by the field's own name. A name that stands
 * in the header twice is a problem only where a field needs it.
 */
export function bind<T>(
  kind: RecordKind<T>,
  mapping: Mapping,
  header: Header,
  options: InputOptions,
): Binding {
  const columns = new Columns(header);
  const steps: Step[] = [];
  for (const field of kind.fields) {
    const source = mapping.get(field.path) ?? columns.ownSource(field);
    if (!source) continue;
    const take = takerOf(source, columns);
    steps.push({
      field,
      names: namesOf(field.path),
      shownAs: shownSource(source, columns),
      columns: namesIn(source).map((name) => columns.find(name)),
      take,
      read: cellReader(field.type, options),
    });
  }
  return {
    steps,
    unusedColumns: columns.unused(kind.fields, steps),
    problem: columns.forbiddenProblem() ?? columns.ambiguousProblem(),
    lack: columns.missingFailure() ?? lackOfRequired(kind, steps, header),
  };
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
  #missing: string | undefined;
  #ambiguous: string | undefined;

  constructor(header: Header) {
    this.#header = header;
    this.#index = new HeaderIndex(header.header);
  }

  ownSource({ path }: Field): Source | undefined {
    return this.#index.columnsNamed(path).length > 0 ? { kind: 'column', name: path } : undefined;
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
    const nearest = nearestName(this.#missing, this.#header.header);
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
      .map((column) => ({ column, nearest: nearestName(column, free) }));
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

function lackOfRequired<T>(kind: RecordKind<T>, steps: readonly Step[], header: Header): Failure | undefined {
  const bound = new Set(steps.map(({ field }) => field.path));
  const { knownBy = [] } = kind;
  const lacks = kind.fields.find(({ isRequired, path }) => isRequired && !bound.has(path))?.path;
  const isUnknown = knownBy.length > 0 && !knownBy.some((path) => bound.has(path));
  const [path] = lacks === undefined && isUnknown ? knownBy : [lacks];
  if (path === undefined) return undefined;
  const nearest = nearestName(path, header.header);
  const example = `--map '${path}=${nearest ?? 'HEADER'}'`;
  const needed = lacks ?? knownBy.join(' or ');
  return lacking(header, `no column gives the ${needed} that ${kind.name} need`, `name it with ${example};`);
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
