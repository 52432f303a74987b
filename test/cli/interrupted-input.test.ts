import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanEnvironment, programPath, temporaryFolder } from './run-cli.ts';

const folder = temporaryFolder();

/** So much that a pipe has taken it only when most of it was read. */
const rows = `orderOriginId,originId,productOriginId\n${Array.from({ length: 100_000 }, (_, n) => `O${n},O${n}-1,P1\n`).join('')}`;

test.each([
  ['push', 1],
  ['push', 2],
  ['inspect', 1],
])(
  'Ctrl-C while %s reads standard input, %i times, ends at once and leaves no copy of it',
  async (command, times) => {
    const copies = join(folder, `${command}-${times}`);
    mkdirSync(copies);
    const env = { ...cleanEnvironment(folder), TMPDIR: copies, REVIEWCTL_BASE_URL: 'http://127.0.0.1:9' };
    const child = spawn(process.execPath, [programPath, 'orders', command, '-'], { env });
    await new Promise((resolve) => child.stdin.write(rows, resolve));
    for (let time = 0; time < times; time += 1) child.kill('SIGINT');
    const [exitCode] = await once(child, 'close');
    expect({ exitCode, left: readdirSync(copies) }).toEqual({ exitCode: 130, left: [] });
  },
);
