import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { codeSnippets, documentationPages } from './markdown.ts';

const surface = readFileSync('fixtures/surface/commands.txt', 'utf8');
const commands = new Set([...surface.matchAll(/^# reviewctl (.+)$/gm)].map(([, path = '']) => path));
const groups = new Set([...commands].filter((path) => path.includes(' ')).map((path) => path.split(' ')[0]));
const flags = new Set([...surface.matchAll(/--[a-z][a-z-]*/g)].map(([flag]) => flag));

/** The commands and flags in code that `reviewctl` does not have. */
function unknownWords(code: string): readonly string[] {
  // After -u and -o the word is a user of the machine.
  const named = [...code.matchAll(/(?<!-[ou] )\breviewctl ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/g)]
    .map(([, noun = '', verb]) => (groups.has(noun) && verb !== undefined ? `${noun} ${verb}` : noun))
    .filter((path) => path !== 'help' && !groups.has(path) && !commands.has(path));
  const passed = [...code.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag);
  return [...named, ...passed.filter((flag) => !flags.has(flag))];
}

// Pages for developers contain flags of npm scripts.
const forDevelopers = ['docs/development.md', 'CONTRIBUTING.md'];
/** Lines that call other programs with their own flags. */
const ofOthers = /^\s*(?:sudo )?(?:npm|useradd|install|cp|systemctl|docker|kubectl) .*$|\$\(npm [^)]*\)/gm;

const pages = documentationPages().filter(({ path }) => !forDevelopers.includes(path));

it.each(pages)('every command and flag that $path names exists', ({ text }) => {
  const code = codeSnippets(text).map((snippet) => snippet.replaceAll(ofOthers, ''));
  expect(code.flatMap(unknownWords)).toEqual([]);
});

it.each([
  ['reviewctl rewards pay', 'rewards pay'],
  ['reviewctl unheard', 'unheard'],
  ['reviewctl runs undo --never', '--never'],
])('%j is noticed', (code, word) => {
  expect(unknownWords(code)).toEqual([word]);
});
