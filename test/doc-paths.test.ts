import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { codeSnippets, documentationPages, type Page } from './markdown.ts';
import { trackedFiles } from './tracked-files.ts';

const files = trackedFiles().map(({ path }) => path);
const folders = new Set(files.flatMap(foldersAbove));
const roots = new Set([...folders].filter((folder) => !folder.includes('/')));
const rooms = new Set([...folders].flatMap((folder) => /^src\/([^/]+)$/.exec(folder)?.[1] ?? []));

function foldersAbove(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === '.' ? [] : [folder, ...foldersAbove(folder)];
}

/** The words in code that name a file or folder of this repository, not of the user. */
function namedPaths(code: string): readonly string[] {
  return eachName(code)
    .split(/[\s,;()'"]+/)
    .map((word) => word.replace(/^\.\//, '').replace(/[/.]$/, ''))
    .filter((word) => /^[\w.<>*-]+(?:\/[\w.<>*-]+)*$/.test(word))
    .filter((word) => {
      const [first = '', second] = word.split('/');
      const isBelow = second !== undefined && (roots.has(first) || rooms.has(first));
      return isBelow || /\.(?:[cm]?[jt]s|ya?ml)$/.test(word);
    });
}

/** Expands `a/{x,y}.ts` to `a/x.ts a/y.ts`. */
function eachName(code: string): string {
  return code.replaceAll(/([\w./-]*)\{([\w-]+(?:,[\w-]+)+)\}([\w./-]*)/g, (_, before, names, after) =>
    names
      .split(',')
      .map((name: string) => `${before}${name}${after}`)
      .join(' '),
  );
}

/** True if a path exists: from the root, from `src`, beside the page, or, for a bare name, anywhere. */
function isThere(word: string, page: string): boolean {
  const places = word.includes('/') ? ['', 'src/', `${dirname(page)}/`] : ['', '(?:.*/)?'];
  const pattern = new RegExp(`^(?:${places.join('|')})${patternOf(word)}$`);
  return [...files, ...folders].some((path) => pattern.test(path));
}

/** `*` and `<noun>` match any name. */
function patternOf(word: string): string {
  return word.replaceAll('.', '\\.').replaceAll(/\*|<\w+>/g, '[^/]+');
}

function missingPaths({ path, text }: Page): readonly string[] {
  return codeSnippets(text)
    .flatMap(namedPaths)
    .filter((word) => !word.startsWith('dist/') && !isThere(word, path));
}

it.each(documentationPages())('every file and folder that $path names exists', (page) => {
  expect(missingPaths(page)).toEqual([]);
});

it.each([
  ['`src/none.ts`', 'src/none.ts'],
  ['`push/none`', 'push/none'],
  ['`none-at-all.ts`', 'none-at-all.ts'],
  ['`test/*/none.ts`', 'test/*/none.ts'],
  ['`test/{law,none}.test.ts`', 'test/none.test.ts'],
  ['```sh\nnpx vitest run test/none.test.ts\n```', 'test/none.test.ts'],
])('%j is noticed', (text, word) => {
  expect(missingPaths({ path: 'docs/page.md', text })).toEqual([word]);
});

it.each([
  '`test/law.test.ts`',
  '`client/`',
  '`src/cli/commands/<noun>/list.ts`',
  '`law.test.ts`',
  '`test/{law,style}.test.ts`',
  '`/etc/a.txt`',
])('%j is not', (text) => {
  expect(missingPaths({ path: 'docs/page.md', text })).toEqual([]);
});
