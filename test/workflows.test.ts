import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cleanEnvironment, temporaryFolder } from './cli/run-cli.ts';
import { trackedFiles } from './tracked-files.ts';

const workflows = trackedFiles('.github/workflows');
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));

it.each(workflows)('$path runs what is there, with nothing but the right to read', ({ path, text }) => {
  expect(text).toContain('\npermissions:\n  contents: read\n');
  const called = [...text.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = '']) => name);
  expect(called.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  // Only the release workflow may have write permissions, to prove who publishes.
  expect(/: write\b/.test(text)).toBe(path.endsWith('/release.yml'));
});

it.each(workflows)('every action of $path is pinned to a commit', ({ text }) => {
  const actions = [...text.matchAll(/\buses: (\S+)/g)].map(([, action = '']) => action);
  expect(actions.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
});

it('what is published names the repository whose workflow publishes it', () => {
  const release = workflows.find(({ path }) => path.endsWith('/release.yml'))?.text ?? '';
  const [, naming = ''] = /run: (npm pkg set repository\..*)/.exec(release) ?? [];
  expect(release.indexOf(naming)).toBeLessThan(release.indexOf('npm publish'));
  const folder = temporaryFolder();
  const manifest = join(folder, 'package.json');
  copyFileSync('package.json', manifest);
  const env = {
    ...cleanEnvironment(folder),
    GITHUB_SERVER_URL: 'https://git.example',
    GITHUB_REPOSITORY: 'shop/reviewctl',
  };
  execFileSync('sh', ['-c', naming], { cwd: folder, env, stdio: 'pipe' });
  expect(JSON.parse(readFileSync(manifest, 'utf8'))).toMatchObject({
    repository: { type: 'git', url: 'git+https://git.example/shop/reviewctl.git' },
  });
});

it('the lines of the README that set up a clone are run before each merge, as they stand there', () => {
  const [, block = ''] =
    /does all the set-up:\n\n```sh\n(.*?)```/s.exec(readFileSync('README.md', 'utf8')) ?? [];
  const lines = block.trim().split('\n');
  expect(lines).toHaveLength(2);
  const gate = readFileSync('.ci/run', 'utf8');
  expect(lines.filter((line) => !gate.includes(line))).toEqual([]);
});

it('the gate runs nothing if it cannot enter its clone', () => {
  const inNoFolder = 'cd() { return 1; }; export -f cd; PATH=/nowhere "$BASH" .ci/run';
  const { status, stderr } = spawnSync('bash', ['-c', inNoFolder], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.not.stringContaining('npm') });
});
