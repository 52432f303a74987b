import type { DocumentedField, Shape } from './api-document.ts';
import { type Section, type TableRow, tableRowsOf } from './markdown.ts';

/** Returns `Job` for the heading `Job (result of …)`. */
export function resourceName({ heading }: Section): string {
  return heading.replace(/ \(.*\)$/, '');
}

/** The fields of a resource, from its table. */
export function fieldsOf({ text }: Section): DocumentedField[] {
  return tableRowsOf(text).map((row) => ({ name: row['Field'] ?? '', shape: shapeOf(row) }));
}

function shapeOf(row: TableRow): Shape {
  const type = row['Type'] ?? '';
  const written = `${type} ${row['Notes'] ?? ''}`;
  if (type.startsWith('object')) return { kind: 'object', fields: parseFields(written) };
  if (type.startsWith('array of '))
    return { kind: 'list', element: namedShape(type.slice('array of '.length)) };
  if (type === 'array') return { kind: 'list', element: { kind: 'object', fields: parseFields(written) } };
  return namedShape(/^\w+/.exec(type)?.[0] ?? '');
}

/** `string` is a scalar, `Product` a resource. */
function namedShape(name: string): Shape {
  return /^[a-z]/.test(name) ? { kind: 'scalar', type: name } : { kind: 'resource', name };
}

/** Reads the first `{ name: type, … }` between backticks; a name without a type is a string. */
export function parseFields(text: string): DocumentedField[] {
  const written = /`(\{[^`]*\})`/.exec(text)?.[1];
  if (written === undefined) throw new Error(`no fields in '${text}'`);
  const tokens = written.match(/[{}:,]|[^{}:,\s][^{}:,]*/g)?.map((token) => token.trim()) ?? [];
  return takeFields(tokens);
}

function takeFields(tokens: string[]): DocumentedField[] {
  const fields: DocumentedField[] = [];
  while (tokens.length > 0 && tokens.shift() !== '}') {
    const name = tokens.shift() ?? '';
    fields.push({ name, shape: tokens[0] === ':' ? takeShape(tokens) : { kind: 'scalar', type: 'string' } });
  }
  return fields;
}

function takeShape(tokens: string[]): Shape {
  tokens.shift();
  if (tokens[0] === '{') return { kind: 'object', fields: takeFields(tokens) };
  const name = tokens.shift() ?? '';
  return name === 'array of the resource'
    ? { kind: 'list', element: { kind: 'resource', name: 'the resource' } }
    : namedShape(name);
}

/** Fields such as `Review.uploadFrom`, with the values named in the notes of the table. */
export function observedValuesOf(section: Section): [string, string[]][] {
  return tableRowsOf(section.text).flatMap((row) => {
    const values = /one (?:observed value:|of) ([A-Z_, ]+)$/.exec(row['Notes'] ?? '')?.[1];
    return values === undefined ? [] : [[`${resourceName(section)}.${row['Field']}`, values.split(', ')]];
  });
}
