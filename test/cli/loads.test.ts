import { isAscii } from 'node:buffer';
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { commands } from '../../src/cli/commands/commands.ts';
import { builtSurface, surfaceFile } from '../../src/cli/help/built-surface.ts';
import { allSurfaces } from '../../src/cli/help/find-surface.ts';
import { loadedWith } from './bundle.ts';
import { asProcesses, openLedgerShop } from './ledger-shop.ts';
import { cleanEnvironment, expectEnd, runCli, temporaryFolder } from './run-cli.ts';

const folder = temporaryFolder();

describe('what is loaded', () => {
  it('for version and help is one file, without a package or a command', () => {
    expect(loadedWith()).toEqual({
      files: ['main.cjs'],
      packages: [],
      sources: [
        'src/base/failure.ts',
        'src/base/korean-time.ts',
        'src/base/version.ts',
        'src/cli/help/built-surface.ts',
        'src/cli/help/help-text.ts',
        'src/main.ts',
        'src/output/terminal/streams.ts',
      ],
    });
  });

  it('to complete a word is no package and no command', () => {
    const { sources, packages } = loadedWith('src/cli/run-process.ts', 'src/cli/help/complete.ts');
    expect(packages).toEqual([]);
    const ofCommands = /^src\/(?:cli\/(?!help\/)[^/]+\/|client|input|store|push|settle)/;
    expect(sources.filter((path) => ofCommands.test(path))).toEqual([
      'src/cli/commands/commands.ts',
      'src/cli/commands/completion-scripts.ts',
    ]);
  });

  it.each(Object.keys(commands))('by %s, before it acts, are commander and zod alone', (words) => {
    const source = `src/cli/commands/${words.replace(' ', '/')}.ts`;
    const { packages } = loadedWith('src/cli/run-process.ts', 'src/cli/command-line.ts', source);
    expect(packages).toEqual(['commander', 'zod']);
  });

  it.each(['--version', '--help', 'help orders', 'orders push -h', 'rewards settle --help'])(
    'by a process that is called with %s is that one file',
    async (words) => {
      expect(await ownLoads(words.split(' '))).toEqual(['main.cjs']);
    },
  );

  it.each(['config list', 'config get rate'])(
    'by a process that is called with %s is no other command',
    async (words) => {
      const [noun, verb = ''] = words.split(' ');
      const sources = ['run-process', 'command-line', `commands/${noun}/${verb}`].map(
        (name) => `src/cli/${name}.ts`,
      );
      expect(await ownLoads(words.split(' '))).toEqual(loadedWith(...sources).files);
    },
  );

  it('by a process that is called wrongly is what is loaded before a command acts', async () => {
    const sources = ['run-process', 'command-line', 'commands/orders/push'].map(
      (name) => `src/cli/${name}.ts`,
    );
    expect(await ownLoads(['orders', 'push', '--frobnicate'])).toEqual(loadedWith(...sources).files);
  });

  it('by a process that connects to PostgreSQL is no HTTP client of Node.js', async () => {
    const names = 'process.moduleLoadList.filter((name) => /undici| net$/.test(name)).join()';
    const report = `process.on('exit',()=>process._rawDebug(${names}))`;
    const { stderr } = await runCli('ledger status', {
      env: {
        ...cleanEnvironment(folder),
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(report)}`,
        REVIEWCTL_STATE: 'postgres://reviewctl@127.0.0.1:1/rewards',
        REVIEWCTL_SHOP: 'shop',
        REVIEWCTL_BASE_URL: 'http://127.0.0.1:1',
        REVIEWCTL_TOKEN: 'token',
      },
    });
    expect(stderr).toMatch(/cannot be reached: connect ECONNREFUSED/);
    expect(stderr).toMatch(/NativeModule net$/m);
    expect(stderr).not.toContain('undici');
  });
});

test('a process leaves its database in one file, which may be moved or copied as it is', async () => {
  const shop = asProcesses(await openLedgerShop());
  expectEnd(await shop.run('ledger init'), 0);
  const name = basename(shop.ledgerPath);
  const files = readdirSync(dirname(shop.ledgerPath)).filter((file) => file.startsWith(name));
  expect(files).toEqual([name]);
});

describe('what V8 compiled', () => {
  /**
   * A home folder, a function that runs a command in it, the folder of its compiled code, and the files there with
   * their inodes.
   */
  function openHome(caches = '.cache') {
    const home = temporaryFolder();
    const folderOfKind = () => {
      const all = join(home, caches, 'reviewctl');
      return join(all, readdirSync(all)[0] ?? '');
    };
    return {
      home,
      call: (variables: Readonly<Record<string, string>> = {}) =>
        runCli('config list', {
          env: { ...cleanEnvironment(folder), HOME: home, XDG_CACHE_HOME: '', ...variables },
        }),
      kept: folderOfKind,
      files: () =>
        new Map(readdirSync(folderOfKind()).map((name) => [name, statSync(join(folderOfKind(), name)).ino])),
    };
  }

  it('is kept in a folder of the user alone, and taken from there', async () => {
    const { call, kept, files } = openHome();
    const first = expectEnd(await call(), 0);
    const before = files();
    expect([...before.keys()]).toContain('start.cjs');
    expect(statSync(kept()).mode & 0o777).toBe(0o700);
    expect(await call()).toEqual(first);
    expect(files()).toEqual(before);
  });

  it('is kept where the caches of the user are', async () => {
    const { call, home, files } = openHome('elsewhere');
    await call({ XDG_CACHE_HOME: join(home, 'elsewhere') });
    expect([...files().keys()]).toContain('start.cjs');
  });

  it('is compiled anew where it was damaged, or made of another source', async () => {
    const { call, kept, files } = openHome();
    const first = await call();
    const before = files();
    const [one = '', other = '', ...rest] = [...before.keys()].map((name) => join(kept(), name));
    copyFileSync(one, other);
    for (const path of rest) {
      const bytes = readFileSync(path);
      writeFileSync(path, bytes.fill(0, bytes.length / 2));
    }
    const broken = files();
    writeFileSync(join(kept(), 'of-an-earlier-version.cjs'), '');
    expect(await call()).toEqual(first);
    const mended = files();
    expect([...mended.keys()]).toEqual([...before.keys()]);
    const unmended = [...mended.keys()].filter((name) => mended.get(name) === broken.get(name));
    expect(unmended).toEqual([basename(one)]);
    expect(await call()).toEqual(first);
    expect(files()).toEqual(mended);
  });

  it('is not kept where nothing can be, which changes nothing', async () => {
    const { call, home } = openHome();
    const { exitCode, stdout } = await call();
    const file = join(home, 'file');
    writeFileSync(file, '');
    expect(await call({ HOME: '' })).toMatchObject({ exitCode, stdout });
    await call({ XDG_CACHE_HOME: relative(process.cwd(), join(home, 'relative')) });
    expect(existsSync(join(home, 'relative'))).toBe(false);
    // In /proc, mkdir reports a missing parent for a folder that cannot be made.
    for (const folder of [file, '/proc/none', '/proc/none/deeper', '/dev/null'])
      expect(await call({ XDG_CACHE_HOME: folder }), folder).toMatchObject({ exitCode, stdout });
  });
});

/** The files of the built program that a process loads. */
async function ownLoads(argv: readonly string[]): Promise<readonly string[]> {
  const file = join(temporaryFolder(), 'loads');
  const hook = join(import.meta.dirname, 'report-loads.cjs');
  const env = { ...cleanEnvironment(folder), NODE_OPTIONS: `--require=${hook}`, LOADS_FILE: file };
  await runCli(argv, { env });
  const paths = readFileSync(file, 'utf8').split('\n');
  return paths.flatMap((path) => /\/dist\/program\/(.*)$/.exec(path)?.[1] ?? []).toSorted();
}

test('what the build kept of commands is what they are', async () => {
  for (const surface of await allSurfaces()) {
    const path = join('dist/surfaces', surfaceFile(surface.words));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(surface);
  }
  expect(builtSurface('')).toBeUndefined();
});

test('the built program is ASCII, as which it is read: no word of Korean in a pattern is damaged', () => {
  const files = readdirSync('dist/program').filter((name) => name.endsWith('.cjs'));
  expect(files).not.toEqual([]);
  const texts = files.map((name) => readFileSync(join('dist/program', name)));
  expect(files.filter((_, index) => !isAscii(texts[index] ?? Buffer.alloc(0)))).toEqual([]);
});
