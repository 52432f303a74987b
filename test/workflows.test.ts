import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
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
