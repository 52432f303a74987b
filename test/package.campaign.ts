import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serveSandbox } from '../src/sandbox/serve.ts';
import { type CliResult, cleanEnvironment, runCommand, temporaryFolder } from './cli/run-cli.ts';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));

const npm = (...args: readonly string[]) =>
  execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** Packs the package with npm; returns the path of the tarball and the files in it. */
function pack(folder: string): { readonly tarball: string; readonly paths: readonly string[] } {
  const [packed] = JSON.parse(npm('pack', '--ignore-scripts', '--json', '--pack-destination', folder));
  const paths = packed.files.map(({ path }: { readonly path: string }) => path);
  return { tarball: join(folder, packed.filename), paths };
}

/**
 * Installs a tarball as npm does, without a registry: unpacked, beside its direct and indirect dependencies, and
 * without development dependencies. Returns the path of the command.
 */
function install(tarball: string, prefix: string): string {
  const modules = join(prefix, 'node_modules');
  const installed = join(modules, manifest.name);
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);
  const [root = '', ...dependencies] = npm('ls', '--omit=dev', '--all', '--parseable').trim().split('\n');
  for (const path of dependencies) {
    const place = join(prefix, relative(root, path));
    // A package nested in another one is covered by the link to that one.
    if (relative(root, path).split('node_modules/').length > 2) continue;
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(path, place);
  }
  return join(installed, manifest.bin.reviewctl);
}

test('the package holds what runs, the examples and the documentation, and nothing else', () => {
  const { paths } = pack(temporaryFolder());
  const roomOf = (path: string) =>
    path
      .split('/')
      .slice(0, path.startsWith('fixtures') ? 2 : 1)
      .join('/');
  expect([...new Set(paths.map(roomOf))].toSorted()).toEqual([
    'LICENSE',
    'README.md',
    'bin',
    'dist',
    'docs',
    'fixtures/README.md',
    'fixtures/demo',
    'fixtures/deploy',
    'fixtures/payers',
    'fixtures/scale',
    'package.json',
  ]);
  expect(paths.filter((path) => /\.(?:ts|map)$|\btest\b/.test(path))).toEqual([]);
  const built = paths.filter((path) => path.startsWith('dist/'));
  expect([...new Set(built.map((path) => path.split('/')[1] ?? ''))].toSorted()).toEqual([
    'THIRD-PARTY.txt',
    'man',
    'program',
    'source-maps.json',
    'surfaces',
  ]);
});

test('the manifest is ready to publish: the command has the name of the package, for npx', () => {
  expect(Object.keys(manifest.bin)).toEqual([manifest.name]);
  expect(manifest).toMatchObject({ license: 'MIT', publishConfig: { access: 'public', provenance: true } });
  expect(manifest.private).toBeUndefined();
  expect(
    Object.values({ ...manifest.dependencies, ...manifest.devDependencies }).every((version) =>
      /^\d/.test(String(version)),
    ),
  ).toBe(true);
  for (const hook of ['preinstall', 'install', 'postinstall']) expect(manifest.scripts[hook]).toBeUndefined();
});

/** Total bytes of all files in a folder, following links. */
function bytesIn(folder: string): number {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) => (statSync(path).isDirectory() ? bytesIn(path) : statSync(path).size))
    .reduce((sum, bytes) => sum + bytes, 0);
}

test('installed with the packages that it needs, it takes 33 MB', () => {
  const folder = temporaryFolder();
  install(pack(folder).tarball, folder);
  expect(Math.round(bytesIn(join(folder, 'node_modules')) / 2 ** 20)).toBeLessThanOrEqual(33);
});

test('installed without its sources and tools, it runs: version, demo, and settling by a packed payer', async () => {
  const folder = temporaryFolder();
  const command = install(pack(folder).tarball, folder);
  const served = await serveSandbox({ port: 0, orders: 20, reviews: 6 });
  onTestFinished(() => served.close());
  const env = {
    ...cleanEnvironment(folder),
    REVIEWCTL_BASE_URL: served.baseUrl,
    REVIEWCTL_TOKEN: served.token,
    POINTS_FILE: join(folder, 'points.ndjson'),
  };
  const run = (...args: readonly string[]): Promise<CliResult> =>
    runCommand(process.execPath, [command, ...args], { env, cwd: folder });
  expect(await run('--version')).toMatchObject({ exitCode: 0, stdout: `${manifest.version}\n` });
  expect((await run('demo')).stdout).toContain('# The rewards owed for them');
  expect((await run('ledger', 'init', '-c', 'shop=packed')).exitCode).toBe(0);
  const payer = join(dirname(command), '../fixtures/payers/minimal.sh');
  const settled = await run(
    ...['rewards', 'settle', '--payer-command', payer, '-c', 'payer-env=POINTS_FILE'],
    ...['-o', 'none'],
  );
  expect(settled).toMatchObject({ exitCode: 0 });
  const payments = readFileSync(env.POINTS_FILE, 'utf8').trim().split('\n');
  const paid = [...served.sandbox.state.rewards.values()].filter(({ status }) => status === 'SUCCESS');
  expect(payments).toHaveLength(paid.length);
});
