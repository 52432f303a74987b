import * as z from 'zod';
import { type Json, parseJson } from '../../base/json.ts';
import { isRefusal, type Refusal, refuse } from '../records/cell.ts';
import type { ProductCategory, SelectedOption } from '../records/record-kinds.ts';
import type { CellConventions, CellReader } from './cell-reader.ts';
import { readId } from './id.ts';
import type { FindTrace } from './traces.ts';

const flag = z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })]);

/** A product's category as the service returns it (API 2). Only originId and isPrimary are used. */
const categoryOfReply = z
  .looseObject({ isPrimary: z.nullish(flag), category: z.looseObject({ originId: z.string() }) })
  .transform(({ isPrimary, category: { originId } }) => ({
    originId,
    ...(isPrimary == null ? {} : { isPrimary }),
  }));

const categoriesShape = z.array(
  z.union([
    z.string().transform((originId) => ({ originId })),
    z.strictObject({ originId: z.string(), isPrimary: z.exactOptional(z.boolean()) }),
    categoryOfReply,
  ]),
);

const notCategories = refuse(
  'not-categories',
  'these are not categories',
  'write their originIds as A|B, or as JSON: [{"originId":"A","isPrimary":true}]',
);

/** Shop systems separate values by `|`, `||`, `^|^` or line breaks. */
const categorySeparator = /\^?\|+\^?|[\r\n]+/;

/** Separates paths; a comma within a name is escaped by a backslash. */
const pathSeparator = /(?<!\\),/;

/**
 * Parses categories: originIds separated by `|`, or JSON. With `hasCategoryPaths`, the originIds are whole paths
 * separated by commas: `Tops > Knit, Sale` is `Tops > Knit` and `Sale`. Only JSON can name the primary category. The
 * order in a text has no meaning, so the service chooses one.
 */
export function categoriesReader(
  { hasCategoryPaths: hasPaths = false }: Pick<CellConventions, 'hasCategoryPaths'> = {},
  findTrace: FindTrace = () => undefined,
): CellReader {
  return (cell) => {
    const listed = isPlainText(cell)
      ? partsOf(cell, hasPaths ? pathSeparator : categorySeparator).map((part) => ({
          originId: hasPaths ? plainPath(part) : part,
        }))
      : categoriesShape.safeParse(jsonOf(cell)).data;
    if (!listed) return notCategories;
    const categories: ProductCategory[] = [];
    for (const category of listed) {
      const originId = findTrace(category.originId) ?? readId(category.originId);
      if (isRefusal(originId)) return originId;
      categories.push({ ...category, originId });
    }
    return categories;
  };
}

function plainPath(written: string): string {
  return written
    .replaceAll('\\,', ',')
    .split('>')
    .map((name) => name.trim())
    .join(' > ');
}

const optionsShape = z.array(z.strictObject({ name: z.string().min(1), value: z.string() }));

const notOptions = refuse(
  'not-options',
  'these are not options with their values',
  'write 색상=브라운, or 색상: 브라운 / 사이즈: L, or JSON: [{"name":"색상","value":"브라운"}]',
);

/**
 * Separates options. A comma separates only if a name follows, because values contain commas too (`용량: 1,000ml`).
 * Digits between a comma and a colon are a name (`90: 2개`), but a time if a digit follows (`각인: 사랑해, 10:30에 만나`).
 */
const optionSeparator = /\^?\|+\^?|[;\r\n]|(?<=\s)\/(?=\s)|,(?=(?!\s*\d+:\d)[^,=:/|;]+[=:])/;

/**
 * Options separated by a bare `/`, each with a name. Neither the hour of a time nor text with a comma is a name, unless
 * the comma is within a number.
 */
const tightOptions =
  /^[^=:/|;\r\n]+[=:][^=:/|;\r\n]+(?:\/(?!\s*\d+:\d)(?:[^=:/|;,\r\n]|(?<=\d),(?=\d))+[=:][^=:/|;\r\n]+)+$/;

/**
 * Parses the options of an order item: JSON, or `name=value` or `name: value` separated by ` / `, `|`, `^|^`, `;`, `,`
 * or a line break, or by a bare `/` if each part has a name. Text without a name becomes one option called
 * `optionName`; it is refused if `optionName` is not given.
 */
export function optionsReader(
  { optionName }: Pick<CellConventions, 'optionName'> = {},
  findTrace: FindTrace = () => undefined,
): CellReader {
  return (cell) => {
    const options = readSelectedOptions(cell, findTrace);
    const isNameless = options === notOptions && optionName !== undefined && isPlainText(cell);
    return isNameless ? [{ name: optionName, value: cell.trim().normalize('NFC') }] : options;
  };
}

function readSelectedOptions(cell: Json, findTrace: FindTrace): readonly SelectedOption[] | Refusal {
  if (!isPlainText(cell)) {
    const options = optionsShape.safeParse(jsonOf(cell)).data;
    const traces = options?.map(({ name, value }) => findTrace(name) ?? findTrace(value));
    return traces?.find((trace) => trace !== undefined) ?? options ?? notOptions;
  }
  const options: SelectedOption[] = [];
  for (const part of partsOf(cell.normalize('NFC'), tightOptions.test(cell) ? /\// : optionSeparator)) {
    const [, name = '', value = ''] = /^([^=:]+)[=:](.*)$/s.exec(part) ?? [];
    if (name.trim() === '') return notOptions;
    options.push({ name: name.trim(), value: value.trim() });
  }
  return options;
}

function partsOf(text: string, separator: RegExp): string[] {
  return text.split(separator).filter((part) => part.trim() !== '');
}

/** True if a cell is text that does not begin like JSON. */
function isPlainText(cell: Json): cell is string {
  return typeof cell === 'string' && !/^\s*[[{]/.test(cell);
}

/** The JSON value of a cell, parsed if the cell is text; undefined if it is invalid. */
function jsonOf(cell: Json): Json | undefined {
  return typeof cell === 'string' ? parseJson(cell) : cell;
}
