import { type Refusal, refuse } from '../records/cell.ts';
import type { Field } from '../records/field.ts';
import { comparisonKey, HeaderIndex, nearestHeader } from '../records/headers.ts';
import type { Fault } from '../records/problem.ts';
import type { RecordKind } from '../records/record-kinds.ts';
import { reasonColumn } from '../records/row-batch.ts';
import type { FieldSource } from './mapping.ts';
import { maybeImages, meansOther } from './presets/neutral-names.ts';
import type { ColumnNames } from './presets/preset.ts';
import type { FileHeader } from './recognize.ts';

/** The source of a field and its origin, or the columns among which the user has to choose. */
export type FoundSource =
  | { readonly source: FieldSource; readonly origin: SourceOrigin }
  | { readonly choice: readonly string[] };

/** Why a source was chosen: a flag, the field's own name, the product key, or a name of this export or of any. */
export type SourceOrigin = '--set' | '--map' | 'own name' | 'product-key' | 'preset' | 'synonym';

/** An unused column, and the missing field for which it may be meant. */
export interface UnusedColumn {
  readonly column: string;
  readonly nearest: string | undefined;
}

/** The columns of a header by name. Records which of them are used. */
export class Columns {
  readonly #header: FileHeader;
  readonly #index: HeaderIndex;
  readonly #used = new Set<number>();
  readonly #misleading: readonly string[];
  /** Paths of the fields that need a missing column, by its name. */
  readonly #missing = new Map<string, string[]>();
  #ambiguous: string | undefined;

  constructor(header: FileHeader) {
    this.#header = header;
    this.#misleading = header.preset?.shape.misleading ?? [];
    this.#index = new HeaderIndex(header.header);
  }

  /** The column with the name of the field; a choice if several have it in different spellings. */
  ownSource({ path, isServiceId }: Field): FoundSource | undefined {
    const { header } = this.#header;
    // The service's id needs its exact name, an `originId` beside it, and no other use of the column.
    const found = isServiceId
      ? [header.indexOf(path)].filter(
          (column) => column !== -1 && !this.#used.has(column) && this.#used.has(header.indexOf('originId')),
        )
      : this.#index.columnsSpelled(path).filter((column) => !this.#misleading.includes(header[column] ?? ''));
    return this.#sourceOf(found, path, 'own name');
  }

  /** The column `name`, which is one of `found`; a choice if these have different names. */
  #sourceOf(found: readonly number[], name: string, origin: SourceOrigin): FoundSource | undefined {
    if (found.length === 0) return undefined;
    const choice = [...new Set(found.map((column) => this.#header.header[column] ?? ''))];
    if (choice.length === 1) return { source: { kind: 'column', name }, origin };
    for (const column of found) this.#used.add(column);
    return { choice };
  }

  /** The first column of `names` that has only URLs in the first rows of the file. */
  addressSource(names: readonly string[]): FoundSource | undefined {
    const name = names.find((one) =>
      this.#index.columnsNamed(one).some((column) => this.#holdsAddresses(column)),
    );
    return name === undefined ? undefined : { source: { kind: 'column', name }, origin: 'synonym' };
  }

  #holdsAddresses(column: number): boolean {
    const { header, rows } = this.#header;
    const texts = rows.map(({ cells }) => (cells[column] ?? '').trim());
    const below = texts.slice(texts.indexOf(header[column] ?? '') + 1).filter((cell) => cell !== '');
    return below.length > 0 && below.every((cell) => /^https?:\/\//i.test(cell));
  }

  /** The column of the first of `names` that exists; a choice if several alternatives of one entry exist. */
  sourceNamed(names: ColumnNames = [], origin: SourceOrigin): FoundSource | undefined {
    for (const place of names) {
      const found = [place].flat().flatMap((name) => this.#index.columnsSpelled(name));
      const source = this.#sourceOf(found, this.#header.header[found[0] ?? -1] ?? '', origin);
      if (source !== undefined) return source;
    }
    return undefined;
  }

  /** A column as named in the file. */
  shown(name: string): string {
    const [column = -1] = this.#index.columnsNamed(name);
    return this.#header.header[column] ?? name;
  }

  /** Returns the index of the column `name` for the field `path`. If it is missing, records this and returns -1. */
  find(name: string, path: string): number {
    const found = this.#index.columnsNamed(name);
    for (const column of found) this.#used.add(column);
    if (found.length === 0) this.#missing.set(name, [...(this.#missing.get(name) ?? []), path]);
    if (found.length > 1) this.#ambiguous ??= name;
    return found[0] ?? -1;
  }

  /** One problem for each missing column, with the most similar column that may be meant. */
  missingProblems(kind: RecordKind): readonly Fault[] {
    return [...this.#missing].map(([name, paths]) => {
      const mayBeMeant = this.#header.header.filter((column) =>
        paths.every((path) => !meansOther(column, path, kind)),
      );
      const nearest = nearestHeader(name, mayBeMeant);
      const remedy = nearest
        ? `did you mean '${nearest}'?`
        : 'if a setting maps it, -c map= ignores this setting;';
      return missingColumnProblem(
        this.#header,
        refuse('no-such-column', `there is no column '${name}'`, remedy),
      );
    });
  }

  /** The first fault in the names of the columns. */
  problem(): Fault | undefined {
    const { header, headerLine: line } = this.#header;
    const [first = ''] = header;
    if (/^>\s/.test(first)) return { line, column: first, ...quotedMail };
    const forbidden = header.find((name) => name.split('.').includes('__proto__'));
    if (forbidden !== undefined) return { line, column: forbidden, ...forbiddenHeader };
    return this.#ambiguous === undefined ? undefined : { line, column: this.#ambiguous, ...duplicateHeader };
  }

  /** The unused columns, each with the missing field for which it may be meant. */
  unused(kind: RecordKind, bound: ReadonlySet<Field>): UnusedColumn[] {
    const fields = kind.fields.filter(({ isServiceId }) => !isServiceId);
    const known = new Set([...fields.map(({ path }) => path), reasonColumn].map(comparisonKey));
    const free = fields.filter((field) => !bound.has(field)).map(({ path }) => path);
    return this.#header.header
      .filter((name, column) => name !== '' && !this.#used.has(column) && !known.has(comparisonKey(name)))
      .map((column) => {
        const mayBeMeant = free.filter((path) => !meansOther(column, path, kind));
        const isImage = images.has(comparisonKey(column)) && free.includes('imageUrl');
        return { column, nearest: isImage ? 'imageUrl' : nearestHeader(column, mayBeMeant) };
      });
  }
}

const images = new Set(maybeImages.map(comparisonKey));

/** A mail program quoted the file, so every line begins with its mark. */
const quotedMail = refuse(
  'quoted-mail',
  'the lines begin with >, as in a quoted mail',
  'save the file that was attached, or remove the > at the beginning of every line',
);
const forbiddenHeader = refuse(
  'forbidden-header',
  'a column cannot have this name',
  'rename or remove the column',
);
const duplicateHeader = refuse(
  'duplicate-header',
  'this column is needed and occurs in the header more than once',
  'rename or remove the columns that are not meant, or choose another one with --map',
);

/** Maximum number of columns to list in a message. */
const columnsListed = 100;

/** The problem of a missing column, with a list of the existing ones. */
export function missingColumnProblem({ format, header, headerLine: line }: FileHeader, why: Refusal): Fault {
  const named = header.filter((name) => name !== '');
  const more = named.length > columnsListed ? ', …' : '';
  const columns = named.slice(0, columnsListed).join(', ') + more;
  const listed =
    named.length === 1
      ? `the only column is ${columns}; if that is a title, give the line of the header with --header-row`
      : `the columns are ${columns || 'none'}`;
  const isUndivided = format.kind === 'delimited' && named.length === 1;
  const undivided = isUndivided ? '; if it is several columns, give their delimiter with --delimiter' : '';
  const sheetHint =
    format.kind === 'xlsx' ? '; if the records are on another sheet, name it with --sheet' : '';
  return { line, ...why, remedy: `${why.remedy} ${listed}${undivided}${sheetHint}`.trim() };
}
