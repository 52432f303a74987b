import type { Field } from '../records/field.ts';
import { comparisonKey, HeaderIndex, nearestHeader } from '../records/headers.ts';
import type { Problem } from '../records/problem.ts';
import type { RecordKind } from '../records/record-kinds.ts';
import type { RowBatch } from '../records/row-batch.ts';
import { meansOther } from './known-names.ts';
import type { FieldSource } from './mapping.ts';
import type { ColumnNames } from './presets/preset.ts';

/** A header and where it stands. */
export type HeaderContext = Pick<RowBatch, 'header' | 'headerLine'> & {
  readonly file: string;
  /** Whether it is that of one sheet of a workbook. */
  readonly isSheet?: boolean;
  /** The first rows of the file, the header among them. */
  readonly firstRows?: readonly (readonly string[])[];
};

/** Where a field comes from and why; or the columns among which the user must choose. */
export type FoundSource =
  | { readonly kind: 'source'; readonly source: FieldSource; readonly origin: SourceOrigin }
  | { readonly kind: 'choice'; readonly columns: readonly string[] };

/** A flag, the field's own name, the key products are known by, what is known of this export, or a name that means the field anywhere. */
export type SourceOrigin = '--set' | '--map' | 'own name' | 'product-key' | 'preset' | 'synonym';

/** A column that no field speaks of, and the field without a column that it was perhaps meant to be. */
export interface UnusedColumn {
  readonly column: string;
  readonly nearest: string | undefined;
}

/** The columns of a header by name; remembers which were asked for. */
export class Columns {
  readonly #header: HeaderContext;
  readonly #index: HeaderIndex;
  readonly #used = new Set<number>();
  readonly #misleading: readonly string[];
  readonly #missing = new Set<string>();
  #ambiguous: string | undefined;

  constructor(header: HeaderContext, misleading: readonly string[] = []) {
    this.#header = header;
    this.#misleading = misleading;
    this.#index = new HeaderIndex(header.header);
  }

  /** The column called like the field itself. */
  ownSource({ path }: Field): FieldSource | undefined {
    const found = this.#index.columnsNamed(path);
    const isMeant = found.some((column) => !this.#misleading.includes(this.#header.header[column] ?? ''));
    return isMeant ? { kind: 'column', name: path } : undefined;
  }

  /** The column called exactly like the field, beside `originId`, where it is not the source of another field. */
  serviceIdSource({ path }: Field): FieldSource | undefined {
    const { header } = this.#header;
    const column = header.indexOf(path);
    const isMeant = column !== -1 && !this.#used.has(column) && this.#used.has(header.indexOf('originId'));
    return isMeant ? { kind: 'column', name: path } : undefined;
  }

  /** The first column of `names` under which the first rows hold web addresses and nothing else. */
  addressSource(names: readonly string[]): FoundSource | undefined {
    const name = names.find((one) =>
      this.#index.columnsNamed(one).some((column) => this.#holdsAddresses(column)),
    );
    return name === undefined
      ? undefined
      : { kind: 'source', source: { kind: 'column', name }, origin: 'synonym' };
  }

  #holdsAddresses(column: number): boolean {
    const { header, firstRows = [] } = this.#header;
    const cells = firstRows.map((row) => (row[column] ?? '').trim());
    const below = cells.slice(cells.indexOf(header[column] ?? '') + 1).filter((cell) => cell !== '');
    return below.length > 0 && below.every((cell) => /^https?:\/\//i.test(cell));
  }

  /** The column called by the first of `names` that is there; a choice where several in one place are. */
  sourceNamed(names: ColumnNames = [], origin: SourceOrigin): FoundSource | undefined {
    for (const place of names) {
      const found = [place].flat().flatMap((name) => this.#index.columnsNamed(name));
      const columns = [...new Set(found.map((column) => this.#header.header[column] ?? ''))];
      const [name, another] = columns;
      if (name === undefined) continue;
      if (another === undefined) return { kind: 'source', source: { kind: 'column', name }, origin };
      for (const column of found) this.#used.add(column);
      return { kind: 'choice', columns };
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
    if (found.length === 0) this.#missing.add(name);
    if (found.length > 1) this.#ambiguous ??= name;
    return found[0] ?? -1;
  }

  /** One for each column that was asked for and is not there, with the nearest of those that may be meant in its place. */
  missingProblems(mayBeMeant: (column: string, missing: string) => boolean): readonly Problem[] {
    return [...this.#missing].map((name) => {
      const nearest = nearestHeader(
        name,
        this.#header.header.filter((column) => mayBeMeant(column, name)),
      );
      return missingColumnProblem(this.#header, {
        code: 'no-such-column',
        reason: `there is no column '${name}'`,
        remedy: nearest ? `did you mean '${nearest}'?` : '',
      });
    });
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

  /** The columns nobody asked for, and which of the fields that are not bound each may have meant. */
  unused<T>(kind: RecordKind<T>, bound: ReadonlySet<Field>): UnusedColumn[] {
    const fields = kind.fields.filter(({ isServiceId }) => !isServiceId);
    const known = new Set(fields.map(({ path }) => comparisonKey(path)));
    const free = fields.filter((field) => !bound.has(field)).map(({ path }) => path);
    return this.#header.header
      .filter((name, column) => name !== '' && !this.#used.has(column) && !known.has(comparisonKey(name)))
      .map((column) => {
        const nearest = nearestHeader(
          column,
          free.filter((path) => !meansOther(column, path, kind)),
        );
        return { column, nearest };
      });
  }
}

/** How many columns of a header a message lists. */
const columnsListed = 100;

/** What a header lacks, with the columns it has. */
export function missingColumnProblem(
  { file, header, headerLine: line, isSheet = false }: HeaderContext,
  { code, reason, remedy }: Pick<Problem, 'code' | 'reason' | 'remedy'>,
): Problem {
  const named = header.filter((name) => name !== '');
  const more = named.length > columnsListed ? ', …' : '';
  const columns = named.slice(0, columnsListed).join(', ') + more;
  const listed =
    named.length === 1
      ? `the only column is ${columns}; if that is a title, say where the header stands with --header-row`
      : `the columns are ${columns}`;
  const elsewhere = isSheet ? '; if the records stand on another sheet, name it with --sheet' : '';
  return { file, line, code, reason, remedy: `${remedy} ${listed}${elsewhere}`.trim() };
}
