import { describe, expect, it } from 'vitest';
import { complaintsOf } from './style.ts';
import { trackedFiles } from './tracked-files.ts';

describe('the style of the house', () => {
  it('is kept by every file of the project', () => {
    // The rules and their examples contain what they forbid.
    const files = trackedFiles().filter(({ path }) => !path.startsWith('test/style.'));
    expect(complaintsOf(files)).toEqual([]);
  });
});

const longFunction = [
  'export function long(): void {',
  ...Array.from({ length: 68 }, () => '  step();'),
  '}',
];

const complaints: readonly (readonly [path: string, text: string, complaint: string])[] = [
  ['src/client/openPool.ts', '', 'names are kebab-case: openPool'],
  ['src/client/util.ts', '', 'names say what a thing does: util'],
  ['src/common/pool.ts', '', 'names say what a thing does: common'],
  [
    'src/client/a.ts',
    "/** All. */\nexport * from './b.ts';\nexport { c } from './c.ts';\n",
    'no file only hands on what others export: only re-exports',
  ],
  ['src/client/a.ts', 'export let a = 1;', 'exports stay as they are: export let a = 1;'],
  ['bin/a.js', `export default 1;`, 'exports have names: export default 1;'],
  ['src/client/a.ts', `const a = 1; // TODO more`, 'nothing is left to do: // TODO more'],
  ['src/client/a.ts', `const a: any = 1;`, 'types say what a value is: const a: any = 1;'],
  ['test/a.ts', `f(b as any);`, 'types say what a value is: f(b as any);'],
  [
    'src/client/a.ts',
    [...longFunction.slice(0, 1), '  step();', ...longFunction.slice(1)].join('\n'),
    'functions have at most 70 lines: export function long(): void {',
  ],
  [
    'test/a.test.ts',
    `await new Promise((resolve) => setTimeout(resolve, 10));`,
    'tests do not sleep: await new Promise((resolve) => setTimeout(resolve, 10));',
  ],
  ['test/a.test.ts', `  it.skip('works', () => {`, "tests are not skipped: it.skip('works', () => {"],
  [
    'test/a.test.ts',
    ["  it('works', () => {", "  ])('works', () => {"].join('\n'),
    'titles are said once: works',
  ],
  ['README.md', `cd /home/me/project`, 'no machine has its paths here: cd /home/me/project'],
  ...[
    "'at most so much in this run'",
    "'the payer does not know us'",
    "'leave out the records that are not as they must be'",
    "'the ledger is older than known'",
    "'not asked, and not done: Write?'",
  ].map(
    (text) => ['src/cli/a.ts', text, `messages, help and docs use the words of the field: ${text}`] as const,
  ),
  [
    'docs/rewards.md',
    'see them: reviewctl ledger list --told conflict',
    'messages, help and docs use the words of the field: see them: reviewctl ledger list --told conflict',
  ],
  [
    'docs/configuration.md',
    'what counts, and where it comes from',
    'messages, help and docs use the words of the field: what counts, and where it comes from',
  ],
  ['src/client/a.ts', `// ${'a'.repeat(118)}`, `lines have at most 120 characters: // ${'a'.repeat(118)}`],
  ...['// whoever asks for it is told', '/** A run that goes on. */', '// asked in vain'].map(
    (text) => ['src/payer/a.ts', text, `comments and names use the words of the field: ${text}`] as const,
  ),
  [
    'package-lock.json',
    `"resolved": "https://a.example/b.tgz"`,
    'no registry is named: "resolved": "https://a.example/b.tgz"',
  ],
  [
    '.npmrc',
    `registry=https://registry.example.com/`,
    'no registry is named: registry=https://registry.example.com/',
  ],
];

const fineFiles: readonly (readonly [path: string, text: string])[] = [
  ['src/client/open-pool.ts', "export { a } from './a.ts';\nexport const b = 1;"],
  ['src/client/open-service.ts', '// Takes any value: any at all.'],
  ['src/client/a.ts', "const url = 'https://a.example/home/b'; const any = /: any/;"],
  ['src/client/a.ts', longFunction.join('\n')],
  [
    'test/a.test.ts',
    "describe('a', () => {\n  it('works', () => {\ndescribe('b', () => {\n  it('works', () => {",
  ],
  ['vitest.config.ts', `export default 1;`],
  ['src/client/a.ts', `// ${'a'.repeat(117)}`],
  ['src/cli/a.ts', '// A comment may say that a default applies and what counts.'],
];

describe('a breach of the style', () => {
  it.each(complaints)('is reported of %s with %j', (path, text, complaint) => {
    expect(complaintsOf([{ path, text }])).toEqual([`${path}: ${complaint}`]);
  });

  it.each(fineFiles)('is not seen in %s with %j', (path, text) => {
    expect(complaintsOf([{ path, text }])).toEqual([]);
  });
});
