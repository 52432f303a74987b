import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanEnvironment, programPath, temporaryFolder } from './run-cli.ts';

const folder = temporaryFolder();

/** Enough rows that a pipe accepts them all only after most were read. */
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

/** Cells that make a row of about a megabyte, the most that is allowed. */
const longCells = {
  'shipment.trackingNumber': `${'9 '.repeat(500_000)}x`,
  selectedOptions: ' ,'.repeat(500_000),
  paidPrice: '1,'.repeat(500_000),
};

test.each(Object.entries(longCells))(
  'a second Ctrl-C while rows of a megabyte are parsed, which is their %s, ends at once',
  async (column, cell) => {
    const env = { ...cleanEnvironment(folder), REVIEWCTL_BASE_URL: 'http://127.0.0.1:9' };
    const child = spawn(process.execPath, [programPath, 'orders', 'push', '-'], { env });
    child.stdin.on('error', () => undefined);
    child.stdin.write(`orderOriginId,originId,productOriginId,${column}\n`);
    const row = (number: number) => `O${number},O${number}-1,P1,"${cell}"\n`;
    await new Promise((resolve) =>
      child.stdin.write(Array.from({ length: 20 }, (_, n) => row(n)).join(''), resolve),
    );
    child.kill('SIGINT');
    child.kill('SIGINT');
    const interruptedAt = performance.now();
    const [exitCode] = await once(child, 'close');
    expect(exitCode).toBe(130);
    expect(performance.now() - interruptedAt).toBeLessThan(3000);
  },
);
