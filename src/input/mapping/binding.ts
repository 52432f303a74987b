import { shellWord } from '../../base/shell-word.ts';
import { type Field, orderFieldOf } from '../records/field.ts';
import { nearestHeader } from '../records/headers.ts';
import type { InputOptions } from '../records/options.ts';
import type { Fault } from '../records/problem.ts';
import type { RecordKind } from '../records/record-kinds.ts';
import { type Column, compileColumn } from './column.ts';
import { Columns, type FoundSource, missingColumnProblem, type UnusedColumn } from './columns.ts';
import { type FieldSource, hasCounter, type Mapping, readMapping } from './mapping.ts';
import { maybeImages, meansOther, neutralNames } from './presets/neutral-names.ts';
import type { ColumnNames, ExportShape } from './presets/preset.ts';
import { type KeyRemedy, otherKeyProblem, preferKey, productIdOf } from './product-key.ts';
import type { FileHeader } from './recognize.ts';

/** Columns with different meanings, of which the user has to choose one for a field. */
export interface ColumnChoice {
  readonly path: string;
  readonly columns: readonly string[];
}

/** The mapping from the columns of a header to the fields of a record. */
export interface Binding {
  /** In the order of the kind's fields; fields without a source are omitted. */
  readonly columns: readonly Column[];
  readonly unusedColumns: readonly UnusedColumn[];
  /** The product key in the columns; undefined if they hold no known key, or several. */
  readonly productKey: string | undefined;
  /** Problems of the header that make all rows below it unreliable. */
  readonly problems: readonly Fault[];
  /** Choices that the user has to make; each is also among the problems. */
  readonly choices: readonly ColumnChoice[];
  /** The flag that resolves a product key other than the shop's; the mismatch is among the problems. */
  readonly keyRemedy: KeyRemedy | undefined;
  /** Values of `--map` that would supply missing fields. */
  readonly proposals: readonly string[];
  /** Values of `--map` for all missing fields, with HEADER if no column is similar. */
  readonly suggestedMaps: readonly string[];
  /** Problems of named or required columns that are missing; a later JSON record may still have them. */
  readonly missingColumns: readonly Fault[];
}

/**
 * Finds the source of every field of `kind` in the header of a file: `--set`, else `--map`, else the column with the
 * field's own name, else that of the product key, else the columns of the recognized export, else names with this
 * meaning in any export. A repeated header, or several columns that may be meant, are a problem only if a field needs
 * them.
 * @throws the failures of `readMapping`.
 */
export function bind(kind: RecordKind, header: FileHeader, options: InputOptions): Binding {
  const mapping = readMapping(options, kind);
  const shape = header.preset?.shape;
  const named = new Columns(header);
  const columns: Column[] = [];
  const choices: ColumnChoice[] = [];
  for (const field of kind.fields) {
    const { path } = field;
    const names = [shape?.columns[path], neutralNames[kind.name][path]];
    const found = findSource(field, mapping.get(path), named, names, options.productKey);
    if (found === undefined) continue;
    if ('choice' in found) choices.push({ path, columns: found.choice });
    else columns.push(compileColumn(field, found, named, options, shape?.conventions));
  }
  const fault = named.problem();
  const missing = fault?.code === 'quoted-mail' ? [] : missingPaths(kind, columns, choices);
  const proposals = missing.flatMap((path) => proposalFor(path, kind, columns, shape));
  const maps = mapsForMissing(kind, missing, proposals, columns, header);
  const productId = productIdOf(columns, header);
  const otherKey = otherKeyProblem(options.productKey, productId, header);
  const wrong = fault ?? counterWithoutOrder(kind, mapping, columns, header);
  return {
    columns,
    unusedColumns: named.unused(kind, new Set(columns.map(({ field }) => field))),
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
    missingColumns: [...named.missingProblems(kind), ...missingRequiredProblems(kind, missing, maps, header)],
  };
}

/** Finds the source of a field. `ofPreset` and `anywhere` are its known columns: in this export, and in any. */
function findSource(
  field: Field,
  given: FieldSource | undefined,
  columns: Columns,
  [ofPreset, anywhere]: readonly (ColumnNames | undefined)[],
  productKey: string | undefined,
): FoundSource | undefined {
  if (given) return { source: given, origin: given.kind === 'constant' ? '--set' : '--map' };
  const own = columns.ownSource(field);
  if (own) return own;
  const known =
    columns.sourceNamed(ofPreset, 'preset') ??
    columns.sourceNamed(anywhere, 'synonym') ??
    (field.type === 'imageUrl' ? columns.addressSource(maybeImages) : undefined);
  return field.isProductKey ? preferKey(productKey, columns, known) : known;
}

/** Values of `--map`, one for each column of the choice. */
export function choiceMaps({ path, columns }: ColumnChoice): readonly string[] {
  return columns.map((column) => `${path}=${column}`);
}

function choiceProblem(choice: ColumnChoice, { headerLine: line }: FileHeader): Fault {
  const { path, columns } = choice;
  const flags = choiceMaps(choice).map((value) => `--map ${shellWord(value)}`);
  return {
    line,
    code: 'ambiguous-columns',
    reason: `${path} can come from ${columns.join(' or ')}, which may mean different things`,
    remedy: `choose one of them:\n${flags.join('\n')}`,
  };
}

/** The problem of `{n}` without a column for the order, whose items it numbers. */
function counterWithoutOrder(
  { fields }: RecordKind,
  mapping: Mapping,
  columns: readonly Column[],
  { headerLine: line }: FileHeader,
): Fault | undefined {
  const order = orderFieldOf(fields);
  if (order === undefined || order.isRequired || columns.some(({ field }) => field === order))
    return undefined;
  if (![...mapping.values()].some(hasCounter)) return undefined;
  return {
    line,
    code: 'no-order',
    reason: `{n} numbers the items of an order, but there is no column for ${order.path}`,
    remedy: `name it with --map ${order.path}=HEADER`,
  };
}

/** The paths of required fields without a column. */
function missingPaths(
  { fields, knownBy = [] }: RecordKind,
  columns: readonly Column[],
  choices: readonly ColumnChoice[],
): readonly string[] {
  const found = new Set([...columns.map(({ field }) => field.path), ...choices.map(({ path }) => path)]);
  const lacks = fields.filter(({ isRequired, path }) => isRequired && !found.has(path));
  const isUnknown = knownBy.length > 0 && !knownBy.some((path) => found.has(path));
  return [...(isUnknown ? ['originId'] : []), ...lacks.map(({ path }) => path)];
}

/** The proposal of the export for a missing field or, for items without an id, their number within the order. */
function proposalFor(
  path: string,
  { fields }: RecordKind,
  columns: readonly Column[],
  shape: ExportShape | undefined,
): readonly string[] {
  const known = shape?.proposals?.[path];
  if (known !== undefined) return [`${path}=${known}`];
  const counted = path === 'originId' ? countedId(fields, columns) : undefined;
  return counted === undefined ? [] : [counted];
}

/** A value of `--map` that builds item ids from the order and `{n}`, if exactly one column has the order. */
export function countedId(fields: readonly Field[], columns: readonly Column[]): string | undefined {
  const orderField = orderFieldOf(fields);
  const order = columns.find(({ field }) => field === orderField);
  if (order?.indexes.length !== 1 || /[{}|]/.test(order.shownAs)) return undefined;
  return `originId={${order.shownAs}}-{n}`;
}

/** Values of `--map` for missing fields: the proposal, else the column with the most similar name, used only once. */
function mapsForMissing(
  kind: RecordKind,
  missing: readonly string[],
  proposals: readonly string[],
  columns: readonly Column[],
  { header }: FileHeader,
): readonly string[] {
  const bound = new Set(columns.flatMap(({ indexes }) => indexes));
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

/** One problem for all required fields without a column. */
function missingRequiredProblems(
  { name, knownBy = [] }: RecordKind,
  missing: readonly string[],
  maps: readonly string[],
  header: FileHeader,
): readonly Fault[] {
  if (missing.length === 0) return [];
  const needed = missing.map((path) => (knownBy.includes(path) ? knownBy.join(' or ') : path));
  const flags = maps.map((map) => `--map ${shellWord(map)}`);
  const isOne = missing.length === 1;
  const lack = missingColumnProblem(header, {
    code: 'missing-columns',
    reason: `no ${isOne ? 'column' : 'columns'} for ${needed.join(', ')}, which ${name} need`,
    remedy: `name ${isOne ? 'it' : 'them'} with ${flags.join(' ')};`,
  });
  return [lack];
}
