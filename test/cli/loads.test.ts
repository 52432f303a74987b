import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { builtSurface, surfaceFile } from '../../src/cli/help/built-surface.ts';
import { allSurfaces } from '../../src/cli/help/find-surface.ts';
import { loadedWith } from './bundle.ts';
import { cleanEnvironment, runCli, temporaryFolder } from './run-cli.ts';

const folder = temporaryFolder();

describe('what is loaded', () => {
  it('for version and help is one file, without a package or a command', () => {
    expect(loadedWith()).toEqual({
      files: ['main.js'],
      packages: [],
      sources: [
        'src/base/failure.ts',
        'src/base/version.ts',
        'src/cli/help/built-surface.ts',
        'src/cli/help/help-text.ts',
        'src/main.ts',
        'src/output/streams.ts',
      ],
    });
  });

  it('to complete a word is no package and no command', () => {
    const { sources, packages } = loadedWith('src/cli/run-process.ts', 'src/cli/help/complete.ts');
    expect(packages).toEqual([]);
    expect(
      sources.filter((path) => /^src\/(?:cli\/(?!help\/)[^/]+\/|client|input|store|push|settle)/.test(path)),
    ).toEqual([]);
  });

  it.each(Object.keys(commands))('by %s, before it acts, are commander and zod alone', (words) => {
    const source = `src/cli/${words.replace(' ', '/')}.ts`;
    const { packages } = loadedWith('src/cli/run-process.ts', 'src/cli/command-line.ts', source);
    expect(packages).toEqual(['commander', 'zod']);
  });

  it.each(['--version', '--help', 'help orders', 'orders push -h', 'rewards settle --help'])(
    'by a process that is called with %s is that one file',
    async (words) => {
      expect(await ownLoads(words.split(' '))).toEqual(['main.js']);
    },
  );

  it.each(['config list', 'config get rate'])(
    'by a process that is called with %s is no other command',
    async (words) => {
      const [noun, verb = ''] = words.split(' ');
      const sources = ['run-process', 'command-line', `${noun}/${verb}`].map((name) => `src/cli/${name}.ts`);
      expect(await ownLoads(words.split(' '))).toEqual(loadedWith(...sources).files);
    },
  );

  it('by a process that is called wrongly is what is loaded before a command acts', async () => {
    const sources = ['run-process', 'command-line', 'orders/push'].map((name) => `src/cli/${name}.ts`);
    expect(await ownLoads(['orders', 'push', '--frobnicate'])).toEqual(loadedWith(...sources).files);
  });
});

it('what Node.js compiled is kept in a folder of the user alone, where it can keep it at all', async () => {
  const home = temporaryFolder();
  const [file, hook] = [join(home, 'folder'), join(home, 'hook.cjs')];
  writeFileSync(
    hook,
    `require('node:module').enableCompileCache = (folder) => require('node:fs').writeFileSync(${JSON.stringify(file)}, folder);`,
  );
  const env = {
    ...cleanEnvironment(folder),
    HOME: home,
    XDG_CACHE_HOME: '',
    NODE_OPTIONS: `--require=${hook}`,
  };
  await runCli(['--version'], { env });
  expect(readFileSync(file, 'utf8')).toBe(join(home, '.cache/reviewctl'));
});

/** The files of the built program that a process loads. */
async function ownLoads(argv: readonly string[]): Promise<readonly string[]> {
  const file = join(temporaryFolder(), 'loads');
  const hook = join(import.meta.dirname, 'report-loads.js');
  const env = { ...cleanEnvironment(folder), NODE_OPTIONS: `--import=${hook}`, LOADS_FILE: file };
  await runCli(argv, { env });
  const urls = readFileSync(file, 'utf8').split('\n');
  return urls.flatMap((url) => /\/dist\/program\/(.*)$/.exec(url)?.[1] ?? []).toSorted();
}

test('what the build kept of commands is what they are', async () => {
  for (const surface of await allSurfaces()) {
    const path = join('dist/surfaces', surfaceFile(surface.words));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(surface);
  }
  expect(builtSurface('')).toBeUndefined();
});
