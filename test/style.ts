import type { SourceFile } from './law.ts';

/* Style rules that can be checked on text. The linters check types and language details. */

interface Rule {
  readonly rule: string;
  /** True if the rule applies to a file at this path. */
  readonly isFor: (path: string) => boolean;
  /** Each breach of the rule, as a few words or a line of the file. */
  readonly breaches: (file: SourceFile) => readonly string[];
}

/** Longest function, in lines from its head to its closing brace. */
const functionLines = 70;

/** Phrases of this project that no engineer would use in messages, help and docs. The list grows. */
const dialect =
  /unheard-of|\buntold\b|\bheed|\bin vain\b|\bat most so (?:much|many)\b|\bexactly so (?:much|many)\b|what counts\b|as they must be|older than known|does not know us|--told\b|who is kept from paying|not asked, and not done|all the same\b|what to take where|what comes? of (?:it|them)\b|\boutranks\b|as you said|told in one line|cannot stand beside/i;

/** Longest line, in characters. */
const lineLength = 120;

/** Words that comments and names must not use either. */
const colloquial = /\b(?:told|tells?|whoever|everybody|in vain|goes on|so much is)\b/i;

const isCode = (path: string) => /^(?:src|test|bin)\/.*\.[jt]s$/.test(path);
const isSource = (path: string) => /^src\/.*\.ts$/.test(path);
const isTest = (path: string) => /^test\/.*\.ts$/.test(path);
/** The README and the guides. Decisions are historical and not checked. */
const isPage = (path: string) =>
  /^(?:README\.md|docs\/[a-z-]+\.md|fixtures\/surface\/commands\.txt)$/.test(path);
/** Data files keep the text of their authors. */
const isOurs = (path: string) => !/^fixtures\/.*\.(?:csv|json|txt)$/.test(path);

const rules: readonly Rule[] = [
  {
    rule: 'names are kebab-case',
    isFor: isCode,
    breaches: ({ path }) => segmentsOf(path).filter((name) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)),
  },
  {
    rule: 'names say what a thing does',
    isFor: isCode,
    breaches: ({ path }) =>
      segmentsOf(path).filter((name) => /^(?:utils?|common|misc|services?|managers?|helpers?)$/.test(name)),
  },
  {
    rule: 'no file only hands on what others export',
    isFor: isSource,
    breaches: ({ text }) =>
      /^(?:export (?:type )?(?:\*[^;]*|\{[^}]*\}) from '[^']+';\s*)+$/.test(withoutComments(text).trim())
        ? ['only re-exports']
        : [],
  },
  // A bundle may export the value of a variable without its later changes.
  { rule: 'exports stay as they are', isFor: isSource, breaches: matching(/^export let .*/gm) },
  { rule: 'exports have names', isFor: isCode, breaches: matching(/^export default .*/gm) },
  {
    rule: 'nothing is left to do',
    isFor: isCode,
    breaches: matching(/(?:\/\/|\/?\*).*\b(?:TODO|FIXME|XXX|HACK)\b.*/g),
  },
  {
    rule: 'types say what a value is',
    isFor: isCode,
    breaches: ({ text }) => codeLines(text).filter((line) => /(?:[:<|,] ?|\bas )any\b(?!')/.test(line)),
  },
  { rule: `functions have at most ${functionLines} lines`, isFor: isSource, breaches: longFunctions },
  {
    rule: 'tests do not sleep',
    isFor: isTest,
    breaches: linesWith(/=>\s*setTimeout\(|'node:timers\/promises'/),
  },
  {
    rule: 'tests are not skipped',
    isFor: isTest,
    breaches: matching(
      /^ *(?:(?:it|test|describe)\.(?:skip|only|todo|fails|skipIf|runIf)|x(?:it|describe))\b.*/gm,
    ),
  },
  { rule: 'titles are said once', isFor: isTest, breaches: repeatedTitles },
  {
    rule: 'no machine has its paths here',
    isFor: isOurs,
    breaches: linesWith(/(?<![\w.:/-])\/(?:home|Users|root|work)\/\w/),
  },
  {
    rule: 'messages, help and docs use the words of the field',
    isFor: (path) => isSource(path) || isPage(path),
    breaches: ({ path, text }) =>
      (isPage(path) ? text.split('\n') : textsOf(text)).filter((words) => dialect.test(words)),
  },
  {
    rule: `lines have at most ${lineLength} characters`,
    isFor: isSource,
    breaches: ({ text }) => text.split('\n').filter((line) => line.length > lineLength),
  },
  {
    rule: 'comments and names use the words of the field',
    isFor: isSource,
    breaches: ({ text }) => text.split('\n').filter((line) => colloquial.test(line)),
  },
  {
    rule: 'no registry is named',
    isFor: isOurs,
    breaches: linesWith(/\bregistry\.[a-z][\w-]*\.[a-z]|"resolved": "/),
  },
];

/** Every breach of the style in these files, as `file: rule: breach`. */
export function complaintsOf(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) =>
    rules
      .filter(({ isFor }) => isFor(file.path))
      .flatMap(({ rule, breaches }) =>
        breaches(file).map((breach) => `${file.path}: ${rule}: ${breach.trim()}`),
      ),
  );
}

function matching(pattern: RegExp): Rule['breaches'] {
  return ({ text }) => text.match(pattern) ?? [];
}

/** Checks line by line, because lines of data may be long. */
function linesWith(pattern: RegExp): Rule['breaches'] {
  return ({ text }) => text.split('\n').filter((line) => pattern.test(line));
}

/** The folders and the bare name of a file. */
function segmentsOf(path: string): string[] {
  return path.replace(/(?:\.test|\.campaign|\.judge|\.d)?\.[jt]s$/, '').split('/');
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}

/** The string literals of a source file with several words. */
function textsOf(text: string): string[] {
  return (
    withoutComments(text).match(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g) ?? []
  ).filter((words) => words.includes(' '));
}

/** Code lines without comments, strings and patterns, which are not restricted. */
function codeLines(text: string): string[] {
  return withoutComments(text)
    .replace(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|\/(?:[^/\\\n]|\\.)+\/[a-z]*/g, "''")
    .split('\n');
}

/** Parses formatted code: a function ends at the first line that begins with a brace at the indentation of its head. */
function longFunctions({ text }: SourceFile): string[] {
  const lines = text.split('\n');
  return lines.filter((line, index) => {
    if (!/(?:\bfunction\b.*|=> |^ +(?:async |\*|get |static )*#?\w+\(.*\).*)\{$/.test(line)) return false;
    const indent = line.search(/\S/);
    const length = lines
      .slice(index)
      .findIndex((later) => later.search(/\S/) === indent && later[indent] === '}');
    return length + 1 > functionLines;
  });
}

/** A test is identified by its title and that of its describe; a table of tests by the title of the table. */
function repeatedTitles({ text }: SourceFile): string[] {
  const heads = text.matchAll(
    /^ *(describe|(?:it|test)(?:\.each\(\w+\))?|\](?: as const)?\))\(\s*(['"`])(.*?)\2,/gm,
  );
  const titles: string[] = [];
  let subject = '';
  for (const [, head, , title = ''] of heads) {
    if (head === 'describe') subject = title;
    else titles.push(`${subject} ${title}`);
  }
  return titles.filter((title, index) => titles.indexOf(title) !== index);
}
