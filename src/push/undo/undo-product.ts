import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Assumptions } from '../../contract/assumptions.ts';
import { updateProductBody } from '../../contract/bodies.ts';
import type { Product } from '../../contract/resources.ts';
import { readImageUrl, readText } from '../../input/cells/text.ts';
import { Refusal } from '../../input/records/refusal.ts';
import type { KnownRecord } from '../../store/journal/push-journal.ts';
import type { UpdatedRecord } from '../../store/runs/undo-log.ts';
import type { ProductEntry } from '../decide/decide-product.ts';
import { type ProductChanges, productValues, wholeProductUpdate } from '../decide/product-changes.ts';
import { isImageTaken } from '../steps/product-journal.ts';
import {
  type FieldValues,
  stateBy,
  undoneFields,
  undoOutcome,
  unwritable,
  writtenValues,
} from './undo-fields.ts';

/** What becomes of a product that a run changed. */
export interface UndoProductEntry extends ProductEntry {
  /** Whether it no longer has an image of the run, or will not once the step is carried out. */
  readonly isImageUndone?: boolean;
}

/** Decides what is written back to a product that the service shows; `known` is what the journal knows of it. */
export function undoProduct(
  record: UpdatedRecord,
  product: Product,
  known: KnownRecord | undefined,
  assumptions: Assumptions,
): UndoProductEntry {
  const { id, changes: sent } = record;
  const isTaken = (imageUrl: Json) => typeof imageUrl === 'string' && isImageTaken(known, imageUrl);
  const stateOf = (field: string, values: FieldValues) =>
    field === 'imageUrl' && values.now !== null && isTaken(values.to) ? 'as-sent' : compare(field, values);
  const fields = undoneFields(sent, productValues(product), { stateOf, obstacleTo });
  const step = {
    outcome: undoOutcome(record, fields),
    isImageUndone: sent['imageUrl'] !== undefined && !fields.leftAlone.has('imageUrl'),
  };
  const changes = readBody(writtenValues(fields.changes)) ?? {};
  if (Object.keys(changes).length === 0) return step;
  const write = { kind: 'update', id, changes: wholeProductUpdate(changes, product, assumptions) } as const;
  return { ...step, write, before: product };
}

const compare = stateBy(isSame);

function obstacleTo(field: string, { from, to, now }: FieldValues): string | undefined {
  if (field !== 'imageUrl') return readBody({ [field]: from }) === undefined ? unwritable(from) : undefined;
  if (!isSame(field, now, to))
    return (
      `the service shows it under its own address ${JSON.stringify(now)}, so no address of the ` +
      'earlier image is known'
    );
  return readImageUrl(from) instanceof Refusal ? unwritable(from) : undefined;
}

/** The fields as an update takes them (API 4.4); undefined where it does not take one of them. */
function readBody({ categories, ...fields }: JsonObject): ProductChanges | undefined {
  const list = Array.isArray(categories) ? categories.map(withoutNull) : categories;
  return updateProductBody().safeParse(list === undefined ? fields : { ...fields, categories: list }).data;
}

function withoutNull(value: Json): Json {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== null));
}

/** Notations of one value are the same. */
function isSame(field: string, one: Json, other: Json): boolean {
  if (field === 'categories') return isSameCategories(categoriesIn(one), categoriesIn(other));
  const readOf = { name: readText, imageUrl: readImageUrl }[field] ?? ((value: Json) => value);
  const value = readOf(one);
  return value instanceof Refusal ? one === other : value === readOf(other);
}

type Categories = ReadonlyMap<Json | undefined, Json | undefined>;

function categoriesIn(value: Json): Categories {
  const list = Array.isArray(value) ? value.filter(isJsonObject) : [];
  return new Map(list.map(({ originId, isPrimary }) => [originId, isPrimary === null ? false : isPrimary]));
}

/** `isPrimary` is compared only if both give it. */
function isSameCategories(some: Categories, others: Categories): boolean {
  if (some.size !== others.size) return false;
  return [...some].every(([originId, isPrimary]) => {
    const other = others.get(originId);
    return others.has(originId) && (isPrimary === undefined || other === undefined || isPrimary === other);
  });
}
