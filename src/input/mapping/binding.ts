import { shellWord } from '../../base/shell-word.ts';
import type { CellReader } from '../cells/cell-reader.ts';
import { memoizeLast } from '../cells/memoize.ts';
import { cellReader, partRefuser } from '../cells/read-cell.ts';
import type { Field } from '../records/field.ts';
import { nearestHeader } from '../records/headers.ts';
import type { InputOptions } from '../records/options.ts';
import type { Problem } from '../records/problem.ts';
import type { RecordKind } from '../records/record-kinds.ts';
import {
  Columns,
  type FoundSource,
  type HeaderContext,
  missingColumnProblem,
  type SourceOrigin,
  type UnusedColumn,
} from './columns.ts';
import { type Extractor, extractorFor, namesIn, shownSource } from './extractor.ts';
import { meansOther } from './known-names.ts';
import { hasCounter, type Mapping } from './mapping.ts';
import { maybeImages, neutralNames } from './presets/neutral-names.ts';
import type { ColumnNames, ExportShape } from './presets/preset.ts';
import { type KeyRemedy, otherKeyProblem, preferKey, productIdOf } from './product-key.ts';

/** How one field of a record is filled from a row. */
export interface FieldReader {
  readonly field: Field;
  /** The path of the field, taken apart at its dot. */
  readonly names: readonly [string, string?];
  /** The column, template or flag the value comes from, as a problem names it. */
  readonly shownAs: string;
  /** The columns it comes from; none for what is the same in every row. */
  readonly columns: readonly number[];
  /** Whether it is the one cell of a column, as it stands. */
  readonly isColumn: boolean;
  /** Why it comes from there. */
  readonly origin: SourceOrigin;
  readonly extract: Extractor;
  readonly read: CellReader;
}

/** Several columns that a field may come from, each meaning something else. */
export interface ColumnChoice {
  readonly path: string;
  readonly columns: readonly string[];
}

/** How the rows under a header become records. */
export interface Binding {
  /** In the order of the kind's fields; a field nothing speaks of has none. */
  readonly readers: readonly FieldReader[];
  readonly unusedColumns: readonly UnusedColumn[];
  /** What products are known by under it; undefined where its columns are known to hold no key, or several. */
  readonly productKey: string | undefined;
  /** What is wrong with the header itself: no row under it can be trusted. */
  readonly problems: readonly Problem[];
  /** What the user must choose; each is among the problems, too. */
  readonly choices: readonly ColumnChoice[];
  /** What reads the file where it names products by another key than its shop goes by; that it does is among the problems. */
  readonly keyRemedy: KeyRemedy | undefined;
  /** What would fill a lack, as `--map` takes it. */
  readonly proposals: readonly string[];
  /** What would name every column that is needed and not there, as `--map` takes it; HEADER where no column looks like it. */
  readonly suggestedMaps: readonly string[];
  /** Columns that are named or needed and not there; a later record of JSON may still bring them. */
  readonly missingColumns: readonly Problem[];
}

/**
 * Finds the column of every field of `kind`: by `--set`, else `--map`, else by the field's own name, else by the key that
 * products are known by, else by the names that `shape` knows (the export the file was recognised as), else by those that mean the field anywhere. A name that stands in
 * the header twice is a problem only where a field needs it; columns that may both be meant are one.
 */
export function bind<T>(
  kind: RecordKind<T>,
  mapping: Mapping,
  header: HeaderContext,
  options: InputOptions,
  shape?: ExportShape,
): Binding {
  const columns = new Columns(header, shape?.misleading);
  const readers: FieldReader[] = [];
  const choices: ColumnChoice[] = [];
  for (const field of kind.fields) {
    const names = [shape?.columns, neutralNames[kind.name]] as const;
    const found = findSource(field, mapping, columns, { names, productKey: options.productKey });
    if (found === undefined) continue;
    if (found.kind === 'choice') {
      choices.push({ path: field.path, columns: found.columns });
      continue;
    }
    const { source, origin } = found;
    const extract = extractorFor(source, columns, partRefuser(field.type, options));
    const read = cellReader(field.type, options, shape?.conventions);
    readers.push({
      field,
      names: namesOf(field.path),
      shownAs: shownSource(source, columns),
      columns: namesIn(source).map((name) => columns.find(name)),
      isColumn: source.kind === 'column',
      origin,
      extract,
      read: field.isOfOrder ? memoizeLast(read) : read,
    });
  }
  const missing = missingPaths(kind, readers, choices);
  const proposals = missing.flatMap((path) => proposalFor(path, kind, readers, shape));
  const maps = mapsForMissing(kind, missing, proposals, readers, header);
  const mayBeMeant = (column: string, name: string) =>
    [...mapping].every(
      ([path, source]) => !namesIn(source).includes(name) || !meansOther(column, path, kind),
    );
  const productId = productIdOf(readers, header);
  const otherKey = otherKeyProblem(options.productKey, productId, header);
  const wrong =
    columns.forbiddenProblem() ??
    columns.ambiguousProblem() ??
    counterWithoutOrder(kind, mapping, readers, header);
  return {
    readers,
    unusedColumns: columns.unused(kind, new Set(readers.map(({ field }) => field))),
    productKey: productId?.keys.length === 1 ? productId.keys[0] : undefined,
    problems: [
      ...(wrong ? [wrong] : []),
      ...(otherKey ? [otherKey.problem] : []),
      ...choices.map((choice) => choiceProblem(choice, header)),
    ],
    choices,
    keyRemedy: otherKey?.remedy,
    proposals,
    suggestedMaps: maps,
    missingColumns: [
      ...columns.missingProblems(mayBeMeant),
      ...missingRequiredProblems(kind, missing, maps, header),
    ],
  };
}

/** What is known of columns: of this export, and anywhere; and what the products of the shop are known by. */
interface KnownNames {
  readonly names: readonly [ColumnsByField, ColumnsByField];
  readonly productKey: string | undefined;
}

type ColumnsByField = Readonly<Record<string, ColumnNames>> | undefined;

function findSource(
  field: Field,
  mapping: Mapping,
  columns: Columns,
  { names: [ofPreset, anywhere], productKey }: KnownNames,
): FoundSource | undefined {
  const given = mapping.get(field.path);
  if (given) return { kind: 'source', source: given, origin: given.kind === 'constant' ? '--set' : '--map' };
  const own = field.isServiceId ? columns.serviceIdSource(field) : columns.ownSource(field);
  if (own) return { kind: 'source', source: own, origin: 'own name' };
  const known =
    columns.sourceNamed(ofPreset?.[field.path], 'preset') ??
    columns.sourceNamed(anywhere?.[field.path], 'synonym') ??
    (field.type === 'imageUrl' ? columns.addressSource(maybeImages) : undefined);
  return field.isProductKey ? preferKey(productKey, columns, known) : known;
}

/** What makes the choice, as `--map` takes it: one for each column. */
export function choiceMaps({ path, columns }: ColumnChoice): readonly string[] {
  return columns.map((column) => `${path}=${column}`);
}

function choiceProblem(choice: ColumnChoice, { file, headerLine: line }: HeaderContext): Problem {
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

/** Items are counted within their order, so `{n}` needs to know the order. */
function counterWithoutOrder<T>(
  { fields }: RecordKind<T>,
  mapping: Mapping,
  readers: readonly FieldReader[],
  { file, headerLine: line }: HeaderContext,
): Problem | undefined {
  const order = fields.find(({ isOfOrder }) => isOfOrder);
  if (order === undefined || order.isRequired || readers.some(({ field }) => field === order))
    return undefined;
  if (![...mapping.values()].some(hasCounter)) return undefined;
  return {
    file,
    line,
    code: 'no-order',
    reason: `{n} counts the items of an order, and no column gives the ${order.path}`,
    remedy: `name it with --map '${order.path}=HEADER'`,
  };
}

/** The paths of the fields that every record needs and no column gives. */
function missingPaths<T>(
  { fields, knownBy = [] }: RecordKind<T>,
  readers: readonly FieldReader[],
  choices: readonly ColumnChoice[],
): readonly string[] {
  const found = new Set([...readers.map(({ field }) => field.path), ...choices.map(({ path }) => path)]);
  const lacks = fields.filter(({ isRequired, path }) => isRequired && !found.has(path));
  const isUnknown = knownBy.length > 0 && !knownBy.some((path) => found.has(path));
  return [...(isUnknown ? ['originId'] : []), ...lacks.map(({ path }) => path)];
}

/** What the export is known to need; and for items without an id, their number within the order. */
function proposalFor<T>(
  path: string,
  { fields }: RecordKind<T>,
  readers: readonly FieldReader[],
  shape: ExportShape | undefined,
): readonly string[] {
  const known = shape?.proposals?.[path];
  if (known !== undefined) return [`${path}=${known}`];
  const counted = path === 'originId' ? countedId(fields, readers) : undefined;
  return counted === undefined ? [] : [counted];
}

/** The ids of items as `--map` makes them of their order and their number in it, where one column names the order. */
export function countedId(fields: readonly Field[], readers: readonly FieldReader[]): string | undefined {
  const orderKey = fields.find(({ isOfOrder }) => isOfOrder)?.path;
  const order = readers.find(({ field }) => field.path === orderKey);
  if (order?.columns.length !== 1 || /[{}|]/.test(order.shownAs)) return undefined;
  return `originId={${order.shownAs}}-{n}`;
}

/** The name of a field in its record, and in the object there when it is nested. */
function namesOf(path: string): readonly [string, string?] {
  const [name = path, nested] = path.split('.');
  return nested === undefined ? [name] : [name, nested];
}

/** The flags that fill in what no column gives: what is proposed, else the column nearest by name, each for one field. */
function mapsForMissing<T>(
  kind: RecordKind<T>,
  missing: readonly string[],
  proposals: readonly string[],
  readers: readonly FieldReader[],
  { header }: HeaderContext,
): readonly string[] {
  const bound = new Set(readers.flatMap(({ columns }) => columns));
  const free = new Set(header.filter((name, column) => name !== '' && !bound.has(column)));
  return missing.map((path) => {
    const nearest = nearestHeader(
      path,
      [...free].filter((column) => !meansOther(column, path, kind)),
    );
    if (nearest !== undefined) free.delete(nearest);
    const proposal = proposals.find((value) => value.startsWith(`${path}=`));
    return proposal ?? `${path}=${nearest ?? 'HEADER'}`;
  });
}

/** One problem for all fields that no column gives. */
function missingRequiredProblems<T>(
  { name, knownBy = [] }: RecordKind<T>,
  missing: readonly string[],
  maps: readonly string[],
  header: HeaderContext,
): readonly Problem[] {
  if (missing.length === 0) return [];
  const needed = missing.map((path) => (knownBy.includes(path) ? knownBy.join(' or ') : path));
  const flags = maps.map((map) => `--map ${shellWord(map)}`);
  const isOne = missing.length === 1;
  const lack = missingColumnProblem(header, {
    code: 'missing-columns',
    reason: `no ${isOne ? 'column gives' : 'columns give'} the ${needed.join(', ')} that ${name} need`,
    remedy: `name ${isOne ? 'it' : 'them'} with ${flags.join(' ')};`,
  });
  return [lack];
}
