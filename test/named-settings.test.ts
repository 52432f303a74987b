import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findSettingNames } from '../src/cli/help/all-setting-flags.ts';

/*
 * Every setting named in a message, a hint or a page exists. Other tests run hints that are whole commands; this one
 * checks words within sentences.
 */

const names = new Set([...(await findSettingNames()), 'production']);

function filesBelow(folder: string, end: RegExp): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => end.test(name))
    .map((name) => join(folder, name));
}

const files = [...filesBelow('src', /\.ts$/), ...filesBelow('docs', /\.md$/), 'README.md', 'CHANGELOG.md'];

/** The settings named in a text: `-c rate=5`, `-c 'orders.map=…'`, `the setting rate`, `config set rate`. */
function namedIn(text: string): readonly string[] {
  const forms = [
    /(?<![\w-])-c '?(?:[a-z-]+\.)?([a-z]+(?:-[a-z]+)*)=/g,
    /\bthe setting ([a-z]+(?:-[a-z]+)+)\b/g,
    /\bconfig (?:set|get|unset) (?:[a-z-]+\.)?([a-z]+(?:-[a-z]+)+)\b/g,
  ];
  return forms.flatMap((form) => [...text.matchAll(form)].map(([, name = '']) => name));
}

test('every setting that a text names is one', () => {
  const found = files.flatMap((path) => namedIn(readFileSync(path, 'utf8')).map((name) => ({ path, name })));
  expect(found.length).toBeGreaterThan(100);
  expect(found.filter(({ name }) => !names.has(name))).toEqual([]);
});

test('no text of the sources names a setting as a flag', () => {
  const typed = /(?<![\w-])--([a-z]+(?:-[a-z]+)+)\b/g;
  const found = files.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(typed)]
      .map(([, name = '']) => name)
      .filter((name) => names.has(name) && !both.has(name))
      .map((name) => ({ path, name })),
  );
  expect(found).toEqual([]);
});

/** Settings that are also flags, or share the name of a body field. */
const both: ReadonlySet<string> = new Set([
  'base-url',
  'header-row',
  'payer-command',
  'payer-url',
  'group-name',
]);
