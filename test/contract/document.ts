import { readFileSync } from 'node:fs';
import { type Section, sectionsOf, type TableRow, tableRowsOf } from './markdown.ts';

/*
 * The API document as plain data, read from its tables and its prose. Knows nothing of the project's own contract.
 */

/** What a field of a resource holds. */
export type Shape =
  | { readonly kind: 'scalar'; readonly type: string }
  | { readonly kind: 'object'; readonly fields: readonly DocumentedField[] }
  | { readonly kind: 'list'; readonly element: Shape }
  | { readonly kind: 'resource'; readonly name: string };

export interface DocumentedField {
  readonly name: string;
  readonly shape: Shape;
}

/** A query parameter or a field of a request body. */
export interface DocumentedInput {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'time' | 'list' | 'object';
  readonly values: readonly string[];
  readonly default: string | undefined;
  readonly maximum: number | undefined;
  readonly isRequired: boolean;
  readonly isNullable: boolean;
}

export interface DocumentedBody {
  /** Whether the body is an array of entries with these fields. */
  readonly isBulk: boolean;
  readonly entriesMaximum: number | undefined;
  readonly fields: readonly DocumentedInput[];
}

export interface DocumentedOperation {
  readonly number: number;
  readonly method: string;
  readonly path: string;
  readonly purpose: string;
  readonly query: readonly DocumentedInput[];
  readonly body: DocumentedBody | undefined;
  readonly reply: { readonly kind: 'one' | 'page' | 'array'; readonly resource: string };
}

export interface ApiDocument {
  readonly pathPrefix: string;
  readonly operations: readonly DocumentedOperation[];
  readonly resources: Readonly<Record<string, readonly DocumentedField[]>>;
  readonly envelope: readonly DocumentedField[];
  /** The enumerations of section 3 by name. */
  readonly states: Readonly<Record<string, readonly string[]>>;
  /** The values section 2 names for a field without calling the set complete: `Review.uploadFrom` and the like. */
  readonly observedValues: Readonly<Record<string, readonly string[]>>;
  /** The values of section 8, by the name of the limit. */
  readonly limits: Readonly<Record<string, number>>;
}

/** The committed copy of the document, parsed. */
export function readDocument(): ApiDocument {
  return parseDocument(readFileSync(new URL('../../fixtures/api.md', import.meta.url), 'utf8'));
}

export function parseDocument(markdown: string): ApiDocument {
  const sections = sectionsOf(markdown);
  const states = statesOf(sections);
  const resourceSections = between(sections, '2. Resources', '3. States').filter(
    ({ heading }) => heading !== envelopeHeading,
  );
  return {
    pathPrefix: /path prefix `([^`]+)`/.exec(textUnder(sections, '9. Versioning'))?.[1] ?? '',
    operations: operationsOf(sections, states),
    resources: Object.fromEntries(
      resourceSections.map((section) => [resourceName(section), fieldsOf(section)]),
    ),
    envelope: parseFields(textUnder(sections, envelopeHeading)),
    states,
    observedValues: Object.fromEntries(resourceSections.flatMap(observedValuesOf)),
    limits: Object.fromEntries(
      tableRowsOf(textUnder(sections, '8. Limits')).map(({ Limit = '', Value = '' }) => [
        Limit,
        Number.parseInt(Value, 10),
      ]),
    ),
  };
}

const envelopeHeading = 'List envelope (all list operations)';

/** The sections after the one whose heading starts with `from` and before the one that starts with `to`. */
function between(sections: readonly Section[], from: string, to: string): Section[] {
  const start = sections.findIndex(({ heading }) => heading.startsWith(from));
  const end = sections.findIndex(({ heading }, index) => index > start && heading.startsWith(to));
  return sections.slice(start + 1, end);
}

function textUnder(sections: readonly Section[], heading: string): string {
  const section = sections.find((candidate) => candidate.heading.startsWith(heading));
  if (section === undefined) throw new Error(`the document has no section '${heading}'`);
  return section.text;
}

function statesOf(sections: readonly Section[]): Record<string, readonly string[]> {
  return Object.fromEntries(
    between(sections, '3. States', '4. Endpoints').flatMap(({ heading, text }) => {
      const values = /^Values: ([^.]+)\./m.exec(text)?.[1];
      return values === undefined ? [] : [[heading, values.split(', ')]];
    }),
  );
}

/* Section 2: resources */

function resourceName({ heading }: Section): string {
  return heading.replace(/ \(.*\)$/, '');
}

function fieldsOf({ text }: Section): DocumentedField[] {
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
function parseFields(text: string): DocumentedField[] {
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

function observedValuesOf(section: Section): [string, string[]][] {
  return tableRowsOf(section.text).flatMap((row) => {
    const values = /one (?:observed value:|of) ([A-Z_, ]+)$/.exec(row['Notes'] ?? '')?.[1];
    return values === undefined ? [] : [[`${resourceName(section)}.${row['Field']}`, values.split(', ')]];
  });
}

/* Section 4: operations */

type States = Readonly<Record<string, readonly string[]>>;
/** The inputs described so far: prose names some again without repeating their type. */
type KnownInputs = Map<string, DocumentedInput>;

function operationsOf(sections: readonly Section[], states: States): DocumentedOperation[] {
  const text = textUnder(sections, '4. Endpoints');
  const known: KnownInputs = new Map();
  const paging = /accept (.*)\.$/m.exec(text)?.[1] ?? '';
  for (const input of proseInputs(paging, states, known)) known.set(input.name, input);
  return tableRowsOf(text).map((row) => {
    const purpose = row['Purpose'] ?? '';
    const entry = textUnder(sections, `${row['#']}. ${purpose.charAt(0).toUpperCase()}${purpose.slice(1)}`);
    return {
      number: Number(row['#']),
      method: row['Method'] ?? '',
      path: (row['Path'] ?? '').replaceAll('`', ''),
      purpose,
      query: queryOf(entry, states, known),
      body: bodyOf(entry, states, known),
      reply: replyOf(entry, sections),
    };
  });
}

function queryOf(entry: string, states: States, known: KnownInputs): DocumentedInput[] {
  const prose = /^Query: (.+?)\. /m.exec(entry)?.[1];
  if (prose !== undefined) return proseInputs(prose, states, known);
  return tableRowsOf(entry).flatMap((row) => {
    const names = row['Parameter']?.split(', ') ?? [];
    const words = `${row['Type']}; ${row['Values / default'] ?? row['Values / meaning']}`;
    return names.map(
      (name) => (row['Type'] === '' && known.get(name)) || inputOf(name, words, states, false),
    );
  });
}

function bodyOf(entry: string, states: States, known: KnownInputs): DocumentedBody | undefined {
  if (!entry.startsWith('Body')) return undefined;
  const prose = /(?:^Body(?: \(all optional\))?: |each entry carries )((?!array of entries).+?)\. ?/m.exec(
    entry,
  )?.[1];
  const isBulk = entry.startsWith('Body: array of entries');
  const tabled = tableRowsOf(entry).map((row) => {
    const words = `${row['Type']}; ${row['Notes']}`;
    return inputOf(row['Field'] ?? '', words, states, row['Required'] === 'yes');
  });
  for (const field of tabled) known.set(field.name, field);
  const maximum = /at most (\d+) per request/.exec(entry)?.[1];
  return {
    isBulk,
    entriesMaximum: maximum === undefined ? undefined : Number(maximum),
    fields: prose === undefined ? tabled : proseInputs(prose, states, known, isBulk),
  };
}

/** Reads `name (words), name and name (words)`. A name without words means an input already known, or takes those of the next. */
function proseInputs(
  prose: string,
  states: States,
  known: KnownInputs,
  isRequired = false,
): DocumentedInput[] {
  const named = [...prose.matchAll(/`?(\w+)`?(?: \(([^)]*)\))?(?:, | and |$)/g)];
  const inputs: DocumentedInput[] = [];
  for (const [index, [, name = '', words]] of named.entries()) {
    const ownWords = words ?? named.slice(index).find((later) => later[2] !== undefined)?.[2] ?? '';
    const input = words === undefined ? known.get(name) : undefined;
    inputs.push(input ?? inputOf(name, ownWords, states, isRequired || /\brequired\b/.test(ownWords)));
  }
  return inputs;
}

/** Reads what the document says of one input: `string; ID, NAME; default ID`, `integer, default 0`, `array`. */
function inputOf(name: string, words: string, states: States, isRequired: boolean): DocumentedInput {
  const state = /\b(\w+Status)\b/.exec(words)?.[1] ?? '';
  const [type = '', ...notes] = words.split(/; ?/);
  const listed = notes
    .map((note) => note.replace(/^\w+Status: /, ''))
    .find((note) => /^\S+(?:, \S+)+$/.test(note));
  const maximum = /\bmaximum (\d+)/.exec(words)?.[1];
  return {
    name,
    type: inputType(type, words),
    values: listed?.split(', ') ?? states[state] ?? [],
    default: /\bdefault ([\w-]+)/.exec(words)?.[1],
    maximum: maximum === undefined ? undefined : Number(maximum),
    isRequired,
    isNullable: /\bsend null\b/.test(words),
  };
}

function inputType(type: string, words: string): DocumentedInput['type'] {
  if (/ISO-8601|date-time/.test(words)) return 'time';
  const [first = ''] = /^\w+/.exec(type) ?? [];
  if (first === 'array') return 'list';
  if (/Status$/.test(first) || first === 'strings') return 'string';
  if (first === 'string' || first === 'integer' || first === 'number') return first;
  if (first === 'boolean' || first === 'object') return first;
  throw new Error(`no type in '${words}'`);
}

function replyOf(entry: string, sections: readonly Section[]): DocumentedOperation['reply'] {
  const written =
    /(?:Response: |the response is an )([^.,(]+?)(?: \(.*?\)| in the order .*?)?[.,]/.exec(entry)?.[1] ?? '';
  const [, wrapping, name = ''] = /^(list envelope of |array of |the )?(.*)$/.exec(written) ?? [];
  const resource = between(sections, '2. Resources', '3. States')
    .map(resourceName)
    .find((candidate) => candidate.toLowerCase() === name.toLowerCase());
  if (resource === undefined) throw new Error(`no reply in '${entry}'`);
  const kind = wrapping === 'list envelope of ' ? 'page' : wrapping === 'array of ' ? 'array' : 'one';
  return { kind, resource };
}
