import type { DocumentedInput, DocumentedOperation } from './api-document.ts';
import { resourceName } from './document-resources.ts';
import { type Section, sectionsBetween, tableRowsOf, textUnder } from './markdown.ts';

type States = Readonly<Record<string, readonly string[]>>;
/** The inputs described so far. Prose may name one again without its type. */
type KnownInputs = Map<string, DocumentedInput>;

/** Reads the operations of section 4: the table of all, and the entry of each. */
export function operationsOf(sections: readonly Section[], states: States): DocumentedOperation[] {
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

function bodyOf(entry: string, states: States, known: KnownInputs): DocumentedOperation['body'] {
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

/** Reads `name (words), name and name (words)`. A name without words is a known input, or shares the next words. */
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

/** Reads the description of one input: `string; ID, NAME; default ID`, `integer, default 0`, `array`. */
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
  const resource = sectionsBetween(sections, '2. Resources', '3. States')
    .map(resourceName)
    .find((candidate) => candidate.toLowerCase() === name.toLowerCase());
  if (resource === undefined) throw new Error(`no reply in '${entry}'`);
  const kind = wrapping === 'list envelope of ' ? 'page' : wrapping === 'array of ' ? 'array' : 'one';
  return { kind, resource };
}
