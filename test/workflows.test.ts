import { execFileSync } from 'node:child_process';
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
  // Only what is published may prove who publishes it.
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
