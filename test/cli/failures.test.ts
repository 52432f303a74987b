import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServedSandbox, serveSandbox } from '../../src/sandbox/serve.ts';
import { pushLockName } from '../../src/store/locks/locks.ts';
import { stateLocks } from '../../src/store/open-store.ts';
import { stateLocation } from '../../src/store/state/state-location.ts';
import { startCountingServer } from './counting-server.ts';
import {
  type CommandLine,
  environmentAt,
  expectEnd,
  expectNothing,
  runShell,
  temporaryFolder,
} from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const folder = temporaryFolder();
let sandbox: ServedSandbox;
let env: Record<string, string>;

beforeAll(async () => {
  sandbox = await serveSandbox({ port: 0, products: 5, orders: 40, reviews: 250 });
  env = environmentAt(folder, sandbox);
  writeFileSync(join(folder, 'products.csv'), 'originId,name\nP-1,Cup\n');
});
afterAll(() => sandbox.close());

const run = (line: CommandLine, more: Readonly<Record<string, string>> = {}) =>
  runInProcess(line, { env: { ...env, ...more }, cwd: folder });

/** The errors and hints that a user reads. */
function told(stderr: string) {
  return {
    errors: stderr.split('\n').filter((line) => line.startsWith('error: ')),
    hints: stderr.split('\n').filter((line) => line.startsWith('hint: ')),
  };
}

test('a reader that goes away ends a list quietly', async () => {
  const { stdout, stderr } = expectEnd(
    await runShell('reviewctl reviews list -c page-size=10 | head -1', {
      env,
    }),
    0,
  );
  expect({ lines: stdout.trimEnd().split('\n').length, stderr }).toEqual({ lines: 1, stderr: '' });
});

test('a value that does not fit is exit 2, naming where it was given', async () => {
  const { stderr } = expectEnd(await run('reviews list', { REVIEWCTL_PAGE_SIZE: '500' }), 2);
  expect(told(stderr).errors).toEqual(["error: REVIEWCTL_PAGE_SIZE: expected 1 to 100, not '500'"]);
});

test.each([
  [['--ratings 6'], "--ratings: expected 1 to 5, not '6'"],
  [['--ratings 0,5'], "--ratings: expected 1 to 5, not '0'"],
  [['--ratings 1-2'], "--ratings: expected a whole number, not '1-2'"],
  [['--limit abc'], "--limit: expected a whole number, not 'abc'"],
  [['--direction up'], "--direction: expected ASC or DESC, not 'up'"],
  [['--is-visible yes'], "--is-visible: expected true or false, not 'yes'"],
  [['--text', ''], '--text: must not be empty'],
  [['--order-origin-ids 1,'], "--order-origin-ids: '1,' has an empty entry"],
  [['--created-at-start yesterday'], "--created-at-start: 'yesterday' is not a time"],
])('%j is exit 2 and says what was expected', async (args, message) => {
  const { stderr } = expectEnd(await run(['reviews list', ...args]), 2);
  expect(told(stderr).errors).toEqual([`error: ${message}`]);
});

test('words are understood in any case, and lists with blanks', async () => {
  expectEnd(await run("reviews list --direction asc --ratings '1, 2'"), 0);
});

test('a setting of the folder for another command is left to it', async () => {
  const project = temporaryFolder();
  writeFileSync(join(project, 'reviewctl.json'), '{"batch-size":50}');
  expectEnd(await runInProcess('reviews list --limit 1', { env, cwd: project }), 0);
});

test('a file that is not there is exit 2', async () => {
  writeFileSync(join(folder, 'o.csv'), '');
  const { stderr } = expectEnd(await run(['products push', join(folder, 'nope.csv')]), 2);
  expect(told(stderr)).toEqual({
    errors: [`error: ${join(folder, 'nope.csv')} cannot be read: there is no such file`],
    hints: [`hint: to list the folder: ls ${folder}`],
  });
});

test('a wrong credential is exit 4 and says where to look', async () => {
  const { stderr } = expectNothing(await run('reviews list', { REVIEWCTL_TOKEN: 'wrong' }), 4);
  expect(told(stderr).errors).toHaveLength(1);
  expect(told(stderr).hints).toEqual([
    'hint: to see where the credential comes from, and how to replace it: reviewctl doctor',
  ]);
  expect(stderr).not.toContain('wrong');
});

test('no credential at all is exit 4 and says how to give one', async () => {
  for (const [typed, shown] of [
    [sandbox.baseUrl, sandbox.baseUrl],
    ['https://me:secret@reviews.example', 'https://…'],
  ] as const) {
    const { stderr } = expectEnd(await run(`reviews list -c base-url=${typed}`, { REVIEWCTL_TOKEN: '' }), 4);
    expect(told(stderr).hints).toEqual([
      `hint: reviewctl login --profile default --base-url ${shown}; or set REVIEWCTL_TOKEN, or name a file that holds it: -c token-file=PATH`,
    ]);
  }
});

test('a wrong credential stops a push before anything is written', async () => {
  const { stderr } = expectNothing(await run('products push products.csv', { REVIEWCTL_TOKEN: 'wrong' }), 4);
  expect(stderr.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^error: /),
    expect.stringMatching(/^hint: /),
  ]);
});

test('a dry run leaves not even a folder behind', async () => {
  const elsewhere = join(folder, 'elsewhere');
  expectEnd(
    await run('products push products.csv --dry-run -o none', { REVIEWCTL_STATE_DIR: elsewhere }),
    0,
    'dry run, nothing was sent',
  );
  expect(existsSync(elsewhere)).toBe(false);
});

test('a full disk under stdout stops a push without leaving anything unknown', async () => {
  const rows = Array.from({ length: 5000 }, (_, index) => `F-${index},F-${index}-1,P-1`);
  writeFileSync(join(folder, 'many.csv'), `orderOriginId,originId,productOriginId\n${rows.join('\n')}\n`);
  expectEnd(
    await runShell('reviewctl orders push many.csv > /dev/full', { env, cwd: folder }),
    1,
    'could not write to stdout',
  );
  const { exitCode, stdout } = await run('orders push many.csv');
  const words = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).outcome);
  expect(exitCode).toBe(0);
  expect(new Set(words)).toEqual(new Set(['skipped', 'queued']));
});

test('a server that is not there is exit 5', async () => {
  const closed = await startCountingServer();
  await closed.close();
  const { stderr } = expectNothing(
    await run('reviews list -c retries=1', { REVIEWCTL_BASE_URL: closed.baseUrl }),
    5,
  );
  expect(told(stderr).errors).toEqual([
    `error: listReviews: the server at ${closed.baseUrl} does not answer (connection refused)`,
  ]);
});

test('plain http to another machine is exit 2, before anything is sent', async () => {
  const { stderr } = expectEnd(
    await run('reviews list', { REVIEWCTL_BASE_URL: 'http://reviews.example.com' }),
    2,
  );
  expect(told(stderr)).toEqual({
    errors: ['error: plain http to reviews.example.com would expose the credential on the network'],
    hints: ['hint: use https: -c base-url=https://reviews.example.com'],
  });
});

test('a push while another of the same kind runs is exit 9', async () => {
  const folderOfService = join(
    env['REVIEWCTL_STATE_DIR'] ?? '',
    'default',
    new URL(sandbox.baseUrl).host.replace(':', '_'),
  );
  mkdirSync(folderOfService, { recursive: true });
  const lock = await stateLocks(stateLocation(folderOfService)).acquire(
    pushLockName('products'),
    'products push',
  );
  try {
    const { stderr } = expectNothing(await run('products push products.csv'), 9);
    expect(told(stderr).errors).toEqual([
      'error: another run of reviewctl products push is under way for this profile',
    ]);
  } finally {
    await lock.release();
  }
});
