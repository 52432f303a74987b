import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanEnvironment, temporaryFolder } from './cli/run-cli.ts';

const manifest: { readonly version: string } = JSON.parse(readFileSync('package.json', 'utf8'));

test('the packed tarball holds what runs and nothing else, installs, and runs', () => {
  const folder = temporaryFolder();
  const npm = (args: readonly string[], cwd: string) =>
    execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const [packed] = JSON.parse(npm(['pack', '--ignore-scripts', '--json', '--pack-destination', folder], '.'));
  const paths: readonly string[] = packed.files.map(({ path }: { readonly path: string }) => path);
  const rooms = new Set(
    paths.map((path) =>
      path
        .split('/')
        .slice(0, path.startsWith('fixtures') ? 2 : 1)
        .join('/'),
    ),
  );
  expect([...rooms].sort()).toEqual([
    'LICENSE',
    'README.md',
    'bin',
    'dist',
    'docs',
    'fixtures/README.md',
    'fixtures/demo',
    'fixtures/payers',
    'package.json',
  ]);
  expect(paths.filter((path) => /\.(?:ts|map)$|\btest\b/.test(path))).toEqual([]);
  expect([
    ...new Set(paths.filter((path) => path.startsWith('dist/')).map((path) => path.split('/')[1])),
  ]).toEqual(['program', 'surfaces']);

  npm(
    [
      'install',
      '--prefix',
      folder,
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      join(folder, packed.filename),
    ],
    folder,
  );
  const installed = join(folder, 'node_modules/.bin/reviewctl');
  const run = (args: readonly string[]) =>
    execFileSync(installed, args, {
      cwd: folder,
      encoding: 'utf8',
      env: cleanEnvironment(folder),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  expect(run(['--version'])).toBe(`${manifest.version}\n`);
  expect(run(['demo'])).toContain('# The rewards owed for them');
});
