import { Failure } from '../../base/failure.ts';
import { shellWord } from '../../base/shell-word.ts';
import { orderFieldOf } from '../records/field.ts';
import { nearestHeader } from '../records/headers.ts';
import type { InputOptions } from '../records/options.ts';
import type { RecordKind } from '../records/record-kinds.ts';

/** The source of a field's values, as written in a flag. */
export type FieldSource =
  | { readonly kind: 'column'; readonly name: string }
  | { readonly kind: 'template'; readonly written: string; readonly parts: readonly TemplatePart[] }
  | { readonly kind: 'constant'; readonly value: string };

export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  /** The first of these columns that is not blank. */
  | { readonly kind: 'columns'; readonly names: readonly string[] }
  /** The number of the row within its order, from 1. */
  | { readonly kind: 'counter' };

/** The sources set by flags, by the path of the field. */
export type Mapping = ReadonlyMap<string, FieldSource>;

/**
 * Parses `--map` and `--set`. The last one for a field applies, and `--set` overrides `--map`.
 *
 * `--map field=header` names a column. With braces the right side is a template: `{header}` is replaced by the column,
 * `{one|other}` by the first column that is not blank, `{n}` by the number of the row within its order, `{{` and `}}`
 * by braces. If a column of a template is blank, the value is blank.
 *
 * @throws Failure('usage') if a mapping is invalid or names an unknown field; the hint names the most similar field.
 */
export function readMapping({ map, set }: Pick<InputOptions, 'map' | 'set'>, kind: RecordKind): Mapping {
  const sources = new Map<string, FieldSource>();
  const countsWithinOrders = orderFieldOf(kind.fields) !== undefined;
  for (const written of map) {
    const { field, value } = assignment('--map', written, kind);
    const source = sourceOf(value);
    if (hasCounter(source) && (field.isOfOrder || !countsWithinOrders)) throw misplacedCounter(written);
    sources.set(field.path, source);
  }
  for (const written of set) {
    const { field, value } = assignment('--set', written, kind);
    sources.set(field.path, { kind: 'constant', value });
  }
  return sources;
}

function assignment(flag: '--map' | '--set', written: string, kind: RecordKind) {
  const at = written.indexOf('=');
  const path = written.slice(0, at).trim();
  const field = kind.fields.find((candidate) => candidate.path === path);
  if (field) return { field, value: written.slice(at + 1).trim() };
  throw new Failure(
    'usage',
    `${flag} ${written}: ${kind.name} have no field '${path}'`,
    fieldHint(flag, path, written.slice(at + 1).trim(), kind),
  );
}

function fieldHint(flag: '--map' | '--set', left: string, right: string, { fields }: RecordKind): string {
  const paths = fields.map(({ path }) => path);
  const nearest = nearestHeader(left, paths);
  if (flag === '--map' && nearest === undefined && paths.includes(right)) {
    return `the field comes first: --map ${shellWord(`${right}=${left}`)}`;
  }
  return `${nearest ? `did you mean ${nearest}? ` : ''}the fields are ${paths.join(', ')}`;
}

function sourceOf(written: string): FieldSource {
  if (!/[{}]/.test(written)) return { kind: 'column', name: written };
  const parts: TemplatePart[] = [];
  for (const [token] of written.matchAll(/\{\{|\}\}|\{[^{}]+\}|[^{}]+|[{}]/g))
    parts.push(partOf(token, written));
  return { kind: 'template', written, parts };
}

function partOf(token: string, written: string): TemplatePart {
  if (token === '{' || token === '}') {
    throw new Failure('usage', `the template ${written} has an unmatched brace`, braceHint);
  }
  if (token === '{{' || token === '}}') return { kind: 'text', text: token.slice(1) };
  if (token === '{n}') return { kind: 'counter' };
  if (!token.startsWith('{')) return { kind: 'text', text: token };
  return {
    kind: 'columns',
    names: token
      .slice(1, -1)
      .split('|')
      .map((name) => name.trim()),
  };
}

const braceHint = 'write {header} for a column, {{ and }} for braces themselves';

/** True if a source contains `{n}`, the number of the row within its order. */
export function hasCounter(source: FieldSource): boolean {
  return source.kind === 'template' && source.parts.some(({ kind }) => kind === 'counter');
}

/** True if the originIds of the records are built with `{n}`. @throws the failures of `readMapping`. */
export function hasCountedIds(options: Pick<InputOptions, 'map' | 'set'>, kind: RecordKind): boolean {
  const id = readMapping(options, kind).get('originId');
  return id !== undefined && hasCounter(id);
}

function misplacedCounter(written: string): Failure {
  return new Failure(
    'usage',
    `--map ${written}: {n} numbers the items of an order and cannot be used in this field`,
    'use only columns of the file',
  );
}
