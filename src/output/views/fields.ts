import { Failure } from '../../base/failure.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { nearestName } from '../../base/nearest-name.ts';
import type { View } from './view.ts';

/** The value at a dotted path; undefined if the record has no such field. */
export function valueAt(record: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = record;
  for (const name of path.split('.')) {
    if (!isJsonObject(value)) return undefined;
    value = value[name];
  }
  return value;
}

/** True if the name of a field says that it holds a time: `createdAt`, `firstCallAt`. */
export function isTimeField(path: string): boolean {
  return /(?:At|^at|\.at|^time)$/.test(path);
}

/** A value as plain text: empty for null and missing, JSON for lists and objects. */
export function textOf(value: Json | undefined): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * Checks the names in `--fields`. A command that writes calls this before it writes.
 * @throws Failure('usage') with the list of known names if the view lacks one of `fields`.
 */
export function checkFields(fields: readonly string[] | undefined, view: View): void {
  if (fields === undefined) return;
  const known = new Set(view.csvColumns.flatMap(withParents));
  const unknown = fields.filter((field) => !known.has(field));
  if (unknown.length === 0) return;
  const meant = unknown.map((field) => nearestName(field, [...known])).filter((name) => name !== undefined);
  throw new Failure(
    'usage',
    `a ${view.noun} has no field ${unknown.map((field) => `'${field}'`).join(', ')}`,
    `${meant.length > 0 ? `did you mean ${meant.join(', ')}? ` : ''}choose --fields from: ${[...known].join(', ')}`,
  );
}

/** A record with the selected fields alone, in the order of `fields`; nested fields stay nested. */
export function selectFields(record: JsonObject, fields: readonly string[]): JsonObject {
  const paths = fields.map((field) => field.split('.'));
  return select(record, paths);
}

function select(record: JsonObject, paths: readonly (readonly string[])[]): JsonObject {
  const selected: Record<string, Json> = {};
  for (const name of new Set(paths.map(([first = '']) => first))) {
    const value = record[name];
    if (value === undefined) continue;
    const below = paths.filter(([first]) => first === name).map((path) => path.slice(1));
    const isWhole = !isJsonObject(value) || below.some((path) => path.length === 0);
    selected[name] = isWhole ? value : select(value, below);
  }
  return selected;
}

/** `product.group.id` is a field, and so are `product` and `product.group`. */
function withParents(path: string): string[] {
  const names = path.split('.');
  return names.map((_, index) => names.slice(0, index + 1).join('.'));
}
