import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanEnvironment, programPath, temporaryFolder } from './run-cli.ts';

const folder = temporaryFolder();

test.each([
  ['once', 1],
  ['twice', 2],
])('Ctrl-C %s while standard input is read ends at once and leaves no copy of it', async (name, times) => {
  const spools = join(folder, name);
  mkdirSync(spools);
  const env = { ...cleanEnvironment(folder), TMPDIR: spools, REVIEWCTL_BASE_URL: 'http://127.0.0.1:9' };
  const watched = watch(spools);
  const child = spawn(process.execPath, [programPath, 'orders', 'push', '-'], { env });
  child.stdin.write('orderOriginId,originId,productOriginId\n');
  await once(watched, 'change');
  watched.close();
  for (let time = 0; time < times; time += 1) child.kill('SIGINT');
  const [exitCode] = await once(child, 'close');
  expect({ exitCode, left: readdirSync(spools) }).toEqual({ exitCode: 130, left: [] });
});
