import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { problemsKept } from '../../src/input/records/problem-list.ts';
import { type ServedSandbox, serveSandbox } from '../../src/sandbox/serve.ts';
import { type CliResult, environmentAt, expectEnd, expectNothing, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

/** A working folder, a sandbox and a state of its own for each test. */
interface Place {
  readonly sandbox: ServedSandbox;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cli: (...args: string[]) => Promise<CliResult>;
}

const root = temporaryFolder();
let places = 0;
let place: Place;

beforeEach(async () => {
  places += 1;
  const folder = join(root, `place-${places}`);
  mkdirSync(folder);
  const sandbox = await serveSandbox({ port: 0, products: 5 });
  onTestFinished(() => sandbox.close());
  const env = environmentAt(folder, sandbox);
  place = { sandbox, folder, env, cli: (...args) => runInProcess(args, { env, cwd: folder }) };
});

const getJob = ["-c 'get-job=GET /admin/v2/job/{jobId}'"];

function writeProducts(rows: readonly string[]): void {
  writeFileSync(join(place.folder, 'products.csv'), `originId,name\n${rows.join('\n')}\n`);
}

function writeItems(originIds: readonly string[], productOriginId = 'P1'): void {
  const rows = originIds.map((originId) => `O-${originId},${originId},${productOriginId}`);
  writeFileSync(
    join(place.folder, 'items.csv'),
    `orderOriginId,originId,productOriginId\n${rows.join('\n')}\n`,
  );
}

function linesOf({ stdout }: CliResult) {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** The one run on record. */
async function onlyRun() {
  const runs = linesOf(await place.cli('runs list'));
  expect(runs).toHaveLength(1);
  return runs[0];
}

/** Resolves once the sandbox has items. */
function isPushed(): Promise<void> {
  const { activityLog } = place.sandbox.sandbox;
  return vi.waitFor(() => expect(activityLog.calls['bulkCreateOrderItems']?.received).toBeGreaterThan(0), {
    interval: 5,
    timeout: 20_000,
  });
}

/** Every answer of the sandbox is lost from now on, or comes again. */
function loseAnswers(isLost: boolean): void {
  place.sandbox.sandbox.faults.rates = isLost ? { 'reset-after': 1 } : {};
}

test('a push is on record with its command, its folder and what came of it', async () => {
  writeProducts(['P2,', 'P1,Cup']);
  const { exitCode, stderr } = await place.cli('products push products.csv');
  const run = await onlyRun();
  expect({ exitCode, run }).toEqual({
    exitCode: 6,
    run: {
      run: expect.stringMatching(/^[0-9a-z]{6}-\d+-[0-9a-z]{4}$/),
      kind: 'products',
      state: 'ended',
      exitCode: 6,
      startedAt: expect.any(String),
      endedAt: expect.any(String),
      undoableUntil: null,
      records: 2,
      outcomes: { created: 1, rejected: 1 },
      files: ['products.csv'],
      command: ['products', 'push', 'products.csv'],
      folder: place.folder,
    },
  });
  expect(stderr).toContain(`run ${run.run}: reviewctl runs rejects ${run.run}`);
  expect(linesOf(await place.cli('runs rejects last'))).toEqual([
    { file: 'products.csv', line: 2, originId: 'P2', outcome: 'rejected', error: expect.any(String) },
  ]);
});

test('a table of runs, and one run, show when each began in Korean time', async () => {
  writeProducts(['P1,Cup']);
  await place.cli('products push products.csv');
  const [{ startedAt }] = linesOf(await place.cli('runs list'));
  const korean = new Date(Date.parse(startedAt) + 9 * 60 * 60 * 1000).toISOString();
  for (const words of [['list'], ['show', 'last']]) {
    const { stdout } = await place.cli('runs', ...words, '-o', 'table');
    expect(stdout).toContain(`${korean.slice(0, 10)} ${korean.slice(11, 16)} +09:00`);
  }
});

test('a run is named by its id, either end of it, or last; anything else is exit 2', async () => {
  writeProducts(['P1,Cup']);
  await place.cli('products push products.csv');
  const { run } = await onlyRun();
  for (const name of [run, run.slice(0, 3), run.slice(-2), run.toUpperCase(), 'last']) {
    expect(linesOf(await place.cli(`runs show ${name}`))).toMatchObject([{ run }]);
  }
  await place.cli('products push products.csv');
  expectEnd(await place.cli('runs show', run.slice(0, 3)), 2, 'matches several runs:');
  expectEnd(await place.cli('runs show zzzzzz'), 2);
});

test('a dry run, a refused input and an empty one leave no run', async () => {
  writeProducts(['P1,Cup']);
  await place.cli('products push products.csv --dry-run');
  writeProducts([]);
  await place.cli('products push products.csv');
  writeProducts(['P1,Cup', 'P1,Cup']);
  await place.cli('products push products.csv');
  expect(linesOf(await place.cli('runs list'))).toEqual([]);
});

test('a push that is stopped before it could begin is on record with its exit code', async () => {
  writeItems(['I1']);
  await place.cli('orders push items.csv --wait');
  expect(await onlyRun()).toMatchObject({ state: 'ended', exitCode: 2, outcomes: {} });
});

test('secrets on the command line are not kept', async () => {
  writeProducts(['P1,Cup']);
  const { token } = place.sandbox;
  await place.cli(`products push products.csv --set groupName=${token}`);
  const { command } = await onlyRun();
  expect(command.join(' ')).toContain('groupName=[redacted]');
});

test('a killed push shows as killed, and its command sends what is left', async () => {
  writeItems(Array.from({ length: 400 }, (_, index) => `I${index}`));
  place.sandbox.sandbox.faults.rates = { stall: 1 };
  const child = spawn(
    process.execPath,
    [
      join(import.meta.dirname, '../../bin/reviewctl.js'),
      ...['orders', 'push', 'items.csv', '-c', 'concurrency=1', '-o', 'none'],
    ],
    { env: place.env, cwd: place.folder, stdio: 'ignore' },
  );
  await isPushed();
  const running = await onlyRun();
  expect(running).toMatchObject({ state: 'running', exitCode: null, endedAt: null });
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await onlyRun()).toMatchObject({ run: running.run, state: 'killed' });

  loseAnswers(false);
  expectNothing(await place.cli(...running.command), 11, '400 order items: 300 queued, 100 unknown');
});

test('what a person found out settles unknown records: sent ones are skipped, others sent', async () => {
  writeItems(['I1', 'I2', 'I3']);
  loseAnswers(true);
  const { exitCode, stderr } = await place.cli('orders push items.csv -c batch-size=1');
  loseAnswers(false);
  const { run } = await onlyRun();
  expect(exitCode).toBe(11);
  expect(stderr).toContain(`reviewctl runs resolve ${run} --sent or --not-sent`);
  const unknown = await place.cli(`runs rejects ${run} --unknown -o ids`);
  expect(unknown.stdout).toBe('I1\nI2\nI3\n');

  expectEnd(await place.cli(`runs resolve ${run} --sent`), 2);
  expectEnd(await place.cli(`runs resolve ${run} --yes`), 2);
  const asked = await place.cli(`runs resolve ${run} --sent --no-input I1 I1 X9`);
  expect(asked.stderr).toContain(
    `confirmation required: Resolve 1 record of run ${run}: found at the service?`,
  );
  const sent = await place.cli(`runs resolve ${run} --sent --yes I1 I1 X9 -o csv`);
  expect(sent).toEqual({
    exitCode: 6,
    stdout: 'originId,resolution\nI1,sent\nX9,unchanged\n',
    stderr: expect.stringMatching(
      /^1 record settled: found at the service\nwarning: 1 record unchanged, not on record, so never sent: X9\n/,
    ),
  });
  expectEnd(await place.cli(`runs resolve ${run} --not-sent --yes`), 0, '2 records settled');
  const outcomes = linesOf(await place.cli('orders push items.csv'));
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['skipped', 'queued', 'queued']);
});

test('ids to settle come from standard input too, bare or as NDJSON', async () => {
  writeItems(['I1', 'I2', 'I3']);
  loseAnswers(true);
  await place.cli('orders push items.csv -c batch-size=1');
  loseAnswers(false);
  const { env, folder: cwd } = place;
  const stdin = 'I1\n\n{"originId":"I2","outcome":"unknown"}\n';
  const { exitCode, stderr } = await runInProcess('runs resolve last --sent --yes -', {
    env,
    cwd,
    stdin,
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '2 records settled: found at the service\n' });
  expectEnd(
    await runInProcess('runs resolve last --sent --yes -', {
      env,
      cwd,
      stdin: '{"id":1}',
    }),
    2,
    '-:1',
  );
});

test('runs of changes have nothing to settle, and say so', async () => {
  writeFileSync(join(place.folder, 'changes.csv'), 'originId,status\nI9,DELIVERED\n');
  await place.cli('order-items push changes.csv');
  expectEnd(
    await place.cli('runs resolve last --sent --yes'),
    2,
    'reviewctl order-items push changes.csv checks again',
  );
});

test('a used-up error budget stops the push with exit 7, and names how to go on', async () => {
  writeProducts([...Array.from({ length: 600 }, (_, index) => `P${index},`), 'P600,Cup']);
  const { stdout, stderr } = expectEnd(await place.cli('products push products.csv --max-errors 5'), 7);
  const done = stdout.trimEnd().split('\n').length;
  expect(done).toBeLessThan(600);
  expect(stderr).toContain('stopped by --max-errors');
  const run = await onlyRun();
  expect(run).toMatchObject({ exitCode: 7, outcomes: { rejected: done } });
  expect(stderr).toContain('to continue anyway: reviewctl products push products.csv --max-errors 5\n');
});

test('a share is no budget for the first records, and errors within the budget stop nothing', async () => {
  writeProducts([...Array.from({ length: 50 }, (_, index) => `P${index},`), 'P50,Cup']);
  for (const budget of ['1%', '50']) {
    const { exitCode, stdout } = await place.cli(`products push products.csv --max-errors ${budget}`);
    expect({ exitCode, done: stdout.trimEnd().split('\n').length }).toEqual({ exitCode: 6, done: 51 });
  }
  expectEnd(await place.cli('products push products.csv --max-errors some'), 2);
});

test('jobs are on record as pending, and waiting for them tells how they ended', async () => {
  writeProducts(['P1,Cup']);
  await place.cli('products push products.csv');
  writeItems(['I1', 'I2']);
  await place.cli('orders push items.csv');
  writeItems(['I3'], 'GONE');
  await place.cli('orders push items.csv');
  const listed = await place.cli('jobs list --pending');
  expect(listed.stderr).toBe(
    "3 of 3 jobs; pending ones as of the last check; to check again: reviewctl jobs wait -c 'get-job=GET /admin/v2/job/{jobId}'\n",
  );
  const pending = linesOf(listed);
  expect(pending.map(({ originId, state }) => [originId, state])).toEqual([
    ['I1', 'pending'],
    ['I2', 'pending'],
    ['I3', 'pending'],
  ]);

  const waited = expectEnd(await place.cli('jobs wait 30s', ...getJob), 6);
  expect(linesOf(waited)).toMatchObject([
    { originId: 'I1', state: 'succeeded', objectId: expect.any(String), failureReason: null },
    { originId: 'I2', state: 'succeeded' },
    { originId: 'I3', state: 'failed', failureReason: expect.stringContaining('GONE') },
  ]);
  const none = await place.cli('jobs list --pending');
  expect({ jobs: linesOf(none), stderr: none.stderr }).toEqual({ jobs: [], stderr: 'no jobs\n' });
  expect(linesOf(await place.cli('jobs list --failed'))).toMatchObject([{ originId: 'I3' }]);
  expect(await place.cli('jobs wait 30s', ...getJob)).toMatchObject({ exitCode: 0, stdout: '' });
});

test('jobs that do not end in time are exit 8', async () => {
  const slow = await serveSandbox({ port: 0, products: 5, jobDelayMs: 3_600_000 });
  onTestFinished(() => slow.close());
  const env = { ...place.env, REVIEWCTL_BASE_URL: slow.baseUrl, REVIEWCTL_TOKEN: slow.token };
  writeItems(['I1']);
  await runInProcess('orders push items.csv', { env, cwd: place.folder });
  const { exitCode, stdout } = await runInProcess(['jobs wait 1ms', ...getJob], { env });
  expect({ exitCode, state: JSON.parse(stdout).state }).toEqual({ exitCode: 8, state: 'pending' });
  const assumed = { ...env, REVIEWCTL_GET_JOB: 'GET /admin/v2/job/{jobId}' };
  const { stderr } = await runInProcess('jobs list', { env: assumed });
  expect(stderr).toMatch(/to check again: reviewctl jobs wait\n$/);
});

test('without an operation to look up jobs, asking for them is exit 2 and names the setting', async () => {
  expectEnd(await place.cli('jobs wait'), 2, '-c ');
});

test('Ctrl-C ends a push with 130, tells how to go on, and is on record', async () => {
  writeItems(Array.from({ length: 2000 }, (_, index) => `I${index}`));
  const child = spawn(
    process.execPath,
    [
      join(import.meta.dirname, '../../bin/reviewctl.js'),
      ...['orders', 'push', 'items.csv', '-c', 'concurrency=1', '-c', 'batch-size=1', '-o', 'none'],
    ],
    { env: place.env, cwd: place.folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const chunks: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  await isPushed();
  child.kill('SIGINT');
  const [exitCode] = await once(child, 'close');
  const run = await onlyRun();
  expect({ exitCode, run }).toMatchObject({ exitCode: 130, run: { state: 'ended', exitCode: 130 } });
  expect(Buffer.concat(chunks).toString()).toContain(
    'to continue with them: reviewctl orders push items.csv -c concurrency=1',
  );
});

test('--rejects pushes the good records, tells and records the others as rejected, and ends with 6', async () => {
  writeFileSync(
    join(place.folder, 'items.csv'),
    'orderOriginId,originId,productOriginId\nO1,I1,P1\nO2,1.23457E+15,P1\nO3,I3,\nO4,I4,P1\n',
  );
  const refused = await place.cli('orders push items.csv');
  expect(refused).toMatchObject({ exitCode: 3, stdout: '' });
  const skip = ['--rejects rejects.csv'];
  const pushed = expectEnd(await place.cli('orders push items.csv', ...skip), 6);
  expect(readFileSync(join(place.folder, 'rejects.csv'), 'utf8')).toBe(
    'orderOriginId,originId,productOriginId,reviewctl-reason\nO2,1.23457E+15,P1,originId: Excel has converted this ' +
      'id to a number in scientific notation: digits are lost; export the file again and import it into Excel with ' +
      'this column as Text; or do not open it in Excel\nO3,I3,,productOriginId: this value is missing; fill it in; ' +
      'every record needs productOriginId\n',
  );
  expect(linesOf(pushed).map(({ line, outcome }) => `${line} ${outcome}`)).toEqual([
    '3 rejected',
    '4 rejected',
    '2 queued',
    '5 queued',
  ]);
  expect(pushed.stderr).toContain('2 records skipped and written to rejects.csv; 2 records to push');
  expect(linesOf(await place.cli('runs rejects last')).map(({ line }) => line)).toEqual([3, 4]);
});

test('--rejects sends nothing where its file of rejects is there already', async () => {
  writeItems(['1.23457E+15', 'I2']);
  const push = ['orders', 'push', 'items.csv', '--rejects', 'rejects.csv'];
  expectEnd(await place.cli(...push), 6);
  writeFileSync(join(place.folder, 'rejects.csv'), 'corrected');
  writeItems(['1.23457E+15', 'I2', 'I3']);
  expectNothing(await place.cli(...push), 2, 'rejects.csv, which exists');
  expect(readFileSync(join(place.folder, 'rejects.csv'), 'utf8')).toBe('corrected');
});

test('--rejects goes on by the same command while its file of rejects is as it wrote it', async () => {
  writeItems(['1.23457E+15', 'I2']);
  const push = ['orders', 'push', 'items.csv', '--rejects', 'rejects.csv'];
  expectEnd(await place.cli(...push, '--max-errors', '0'), 7);
  const written = readFileSync(join(place.folder, 'rejects.csv'), 'utf8');
  for (const outcome of ['queued', 'skipped']) {
    const result = await place.cli(...push);
    expect({ exitCode: result.exitCode, outcomes: linesOf(result).map((line) => line.outcome) }).toEqual({
      exitCode: 6,
      outcomes: ['rejected', outcome],
    });
  }
  expect(readFileSync(join(place.folder, 'rejects.csv'), 'utf8')).toBe(written);
});

test('--rejects tells every record it leaves out, with its id, also where there are more than are listed', async () => {
  const bad = Array.from({ length: problemsKept + 2 }, (_, index) => `O${index},B${index},`);
  writeFileSync(
    join(place.folder, 'items.csv'),
    `orderOriginId,originId,productOriginId\n${bad.join('\n')}\nO,GOOD,P1\n`,
  );
  const push = ['orders', 'push', 'items.csv', '--rejects', 'rejects.csv'];
  const last = { line: problemsKept + 3, originId: `B${problemsKept + 1}`, outcome: 'rejected' };
  const dry = await place.cli(...push, '--dry-run');
  expect(dry.stderr).toContain('10,002 records skipped for 10,002 problems; 1 record to push');
  expect(linesOf(dry)).toHaveLength(bad.length + 1);
  const stopped = expectEnd(await place.cli(...push, '--max-errors', `${problemsKept + 1}`), 7);
  expect(linesOf(stopped)[bad.length - 1]).toMatchObject(last);
  const noted = linesOf(await place.cli('runs rejects last'));
  expect(noted).toHaveLength(bad.length);
  expect(noted.at(-1)).toMatchObject(last);
});

test('--rejects sends nothing where no record is good', async () => {
  writeItems(['1.23457E+15']);
  expectEnd(
    await place.cli(...['orders', 'push', 'items.csv', '--rejects', 'rejects.csv']),
    3,
    'nothing was sent',
  );
});
