import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { problemsKept } from '../../src/input/records/problem.ts';
import { openPlace, type Place, recordsIn } from './open-place.ts';
import { expectEnd, expectNothing, programPath, typedWords } from './run-cli.ts';

let place: Place;

beforeEach(async () => {
  place = await openPlace({ products: 5 });
});

const getJob = "-c 'get-job=GET /admin/v2/job/{jobId}'";

function writeProducts(rows: readonly string[]): void {
  place.write('products.csv', ['originId,name', ...rows]);
}

function writeItems(originIds: readonly string[], productOriginId = 'P1'): void {
  const rows = originIds.map((originId) => `O-${originId},${originId},${productOriginId}`);
  place.write('items.csv', ['orderOriginId,originId,productOriginId', ...rows]);
}

async function onlyRun() {
  const runs = recordsIn(await place.run('runs list'));
  expect(runs).toHaveLength(1);
  return runs[0];
}

/** Resolves once the sandbox has items. */
function isPushed(): Promise<void> {
  return vi.waitFor(() => expect(place.sandbox.sandbox.state.bulks.size).toBeGreaterThan(0), {
    interval: 5,
    timeout: 20_000,
  });
}

/** Makes the sandbox lose every reply from now on, or send them again. */
function loseAnswers(isLost: boolean): void {
  place.sandbox.sandbox.faults.rates = isLost ? { 'reset-after': 1 } : {};
}

test('a push is on record with its command, its folder and what came of it', async () => {
  writeProducts(['P2,', 'P1,Cup']);
  const { exitCode, stderr } = await place.run('products push products.csv');
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
  expect(recordsIn(await place.run('runs rejects last'))).toEqual([
    { file: 'products.csv', line: 2, originId: 'P2', outcome: 'rejected', error: expect.any(String) },
  ]);
});

test('a table of runs, and one run, show when each began in Korean time', async () => {
  writeProducts(['P1,Cup']);
  await place.run('products push products.csv');
  const [{ startedAt }] = recordsIn(await place.run('runs list'));
  const korean = new Date(Date.parse(startedAt) + 9 * 60 * 60 * 1000).toISOString();
  for (const line of ['runs list', 'runs show last']) {
    const { stdout } = await place.run(`${line} -o table`);
    expect(stdout).toContain(`${korean.slice(0, 10)} ${korean.slice(11, 16)} +09:00`);
  }
});

test('a run is named by its id, either end of it, or last; anything else is exit 2', async () => {
  writeProducts(['P1,Cup']);
  await place.run('products push products.csv');
  const { run } = await onlyRun();
  for (const name of [run, run.slice(0, 3), run.slice(-2), run.toUpperCase(), 'last']) {
    expect(recordsIn(await place.run(`runs show ${name}`))).toMatchObject([{ run }]);
  }
  await place.run('products push products.csv');
  expectEnd(await place.run(`runs show ${run.slice(0, 3)}`), 2, 'matches several runs:');
  expectEnd(await place.run('runs show zzzzzz'), 2);
});

test('a dry run, a refused input and an empty one leave no run', async () => {
  writeProducts(['P1,Cup']);
  await place.run('products push products.csv --dry-run');
  writeProducts([]);
  await place.run('products push products.csv');
  writeProducts(['P1,Cup', 'P1,Cup']);
  await place.run('products push products.csv');
  expect(recordsIn(await place.run('runs list'))).toEqual([]);
});

test('a push that is stopped before it could begin is on record with its exit code', async () => {
  writeItems(['I1']);
  await place.run('orders push items.csv --wait');
  expect(await onlyRun()).toMatchObject({ state: 'ended', exitCode: 2, outcomes: {} });
});

test('secrets on the command line are not kept', async () => {
  writeProducts(['P1,Cup']);
  const { token } = place.sandbox;
  await place.run(`products push products.csv --set groupName=${token}`);
  const { command } = await onlyRun();
  expect(command.join(' ')).toContain('groupName=[redacted]');
});

test('a killed push shows as killed, and its command sends what is left', async () => {
  writeItems(Array.from({ length: 400 }, (_, index) => `I${index}`));
  place.sandbox.sandbox.faults.rates = { stall: 1 };
  const child = spawn(
    process.execPath,
    [programPath, ...typedWords('orders push items.csv -c concurrency=1 -o none')],
    { env: place.env, cwd: place.folder, stdio: 'ignore' },
  );
  await isPushed();
  const running = await onlyRun();
  expect(running).toMatchObject({ state: 'running', exitCode: null, endedAt: null });
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await onlyRun()).toMatchObject({ run: running.run, state: 'killed' });

  loseAnswers(false);
  expectNothing(await place.run(running.command), 11, '400 order items: 300 queued, 100 unknown');
});

test('what a person found out settles unknown records: sent ones are skipped, others sent', async () => {
  writeItems(['I1', 'I2', 'I3']);
  loseAnswers(true);
  const { exitCode, stderr } = await place.run('orders push items.csv -c batch-size=1');
  loseAnswers(false);
  const { run } = await onlyRun();
  expect(exitCode).toBe(11);
  expect(stderr).toContain(`reviewctl runs resolve ${run} --sent or --not-sent`);
  const unknown = await place.run(`runs rejects ${run} --unknown -o ids`);
  expect(unknown.stdout).toBe('I1\nI2\nI3\n');

  expectEnd(await place.run(`runs resolve ${run} --sent`), 2);
  expectEnd(await place.run(`runs resolve ${run} --yes`), 2);
  const asked = await place.run(`runs resolve ${run} --sent --no-input I1 I1 X9`);
  expect(asked.stderr).toContain(
    `confirmation required: Resolve 1 record of run ${run}: found at the service?`,
  );
  const sent = await place.run(`runs resolve ${run} --sent --yes I1 I1 X9 -o csv`);
  expect(sent).toEqual({
    exitCode: 6,
    stdout: 'originId,resolution\nI1,sent\nX9,unchanged\n',
    stderr: expect.stringMatching(
      /^1 record settled: found at the service\nwarning: 1 record unchanged, not recorded, so never sent: X9\n/,
    ),
  });
  expect((await place.run(`runs rejects ${run} --unknown -o ids`)).stdout).toBe('I2\nI3\n');
  expectEnd(await place.run(`runs resolve ${run} --not-sent --yes`), 0, '2 records settled');
  const outcomes = recordsIn(await place.run('orders push items.csv'));
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['skipped', 'queued', 'queued']);
});

test('ids to settle come from standard input too, bare or as NDJSON', async () => {
  writeItems(['I1', 'I2', 'I3']);
  loseAnswers(true);
  await place.run('orders push items.csv -c batch-size=1');
  loseAnswers(false);
  const stdin = 'I1\n\n{"originId":"I2","outcome":"unknown"}\n';
  expect(await place.run('runs resolve last --sent --yes -', { stdin })).toMatchObject({
    exitCode: 0,
    stderr: '2 records settled: found at the service\n',
  });
  expectEnd(await place.run('runs resolve last --sent --yes -', { stdin: '{"id":1}' }), 2, '-:1');
});

test('runs of changes have nothing to settle, and say so', async () => {
  place.write('changes.csv', ['originId,status', 'I9,DELIVERED']);
  await place.run('order-items push changes.csv');
  expectEnd(
    await place.run('runs resolve last --sent --yes'),
    2,
    'reviewctl order-items push changes.csv checks again',
  );
});

test('a used-up error budget stops the push with exit 7, and names how to go on', async () => {
  writeProducts([...Array.from({ length: 600 }, (_, index) => `P${index},`), 'P600,Cup']);
  const { stdout, stderr } = expectEnd(await place.run('products push products.csv --max-errors 5'), 7);
  const done = stdout.trimEnd().split('\n').length;
  expect(done).toBeLessThan(600);
  expect(stderr).toContain('stopped by --max-errors');
  const run = await onlyRun();
  expect(run).toMatchObject({ exitCode: 7, outcomes: { rejected: done } });
  expect(stderr).toContain('to continue anyway: reviewctl products push products.csv\n');
  expect((await place.run('products push products.csv')).stderr).not.toContain('not attempted');
});

test('a share is no budget for the first records, and errors within the budget stop nothing', async () => {
  writeProducts([...Array.from({ length: 50 }, (_, index) => `P${index},`), 'P50,Cup']);
  for (const budget of ['1%', '50']) {
    const { stdout } = expectEnd(await place.run(`products push products.csv --max-errors ${budget}`), 6);
    expect(stdout.trimEnd().split('\n').length).toBe(51);
  }
  expectEnd(await place.run('products push products.csv --max-errors some'), 2);
});

test('jobs are on record as pending, and waiting for them tells how they ended', async () => {
  writeProducts(['P1,Cup']);
  await place.run('products push products.csv');
  writeItems(['I1', 'I2']);
  await place.run('orders push items.csv');
  writeItems(['I3'], 'GONE');
  await place.run('orders push items.csv');
  const listed = await place.run('jobs list --pending');
  expect(listed.stderr).toBe(
    "3 of 3 jobs; pending ones as of the last check; to check again: reviewctl jobs wait -c 'get-job=GET /admin/v2/job/{jobId}'\n",
  );
  const pending = recordsIn(listed);
  expect(pending.map(({ originId, state }) => [originId, state])).toEqual([
    ['I1', 'pending'],
    ['I2', 'pending'],
    ['I3', 'pending'],
  ]);

  const waited = expectEnd(await place.run(`jobs wait 30s ${getJob}`), 6);
  expect(recordsIn(waited)).toMatchObject([
    { originId: 'I1', state: 'succeeded', objectId: expect.any(String), failureReason: null },
    { originId: 'I2', state: 'succeeded' },
    { originId: 'I3', state: 'failed', failureReason: expect.stringContaining('GONE') },
  ]);
  const none = await place.run('jobs list --pending');
  expect({ jobs: recordsIn(none), stderr: none.stderr }).toEqual({ jobs: [], stderr: 'no jobs\n' });
  expect(recordsIn(await place.run('jobs list --failed'))).toMatchObject([{ originId: 'I3' }]);
  expect(await place.run(`jobs wait 30s ${getJob}`)).toMatchObject({ exitCode: 0, stdout: '' });
  const open = recordsIn(await place.run('runs rejects --open'));
  const error = expect.stringContaining('GONE');
  expect(open).toMatchObject([{ originId: 'I3', outcome: 'failed', file: null, line: null, error }]);
  expectEnd(await place.run('runs resolve last I3 --dropped --yes'), 0);
  expect(recordsIn(await place.run('runs rejects --open'))).toEqual([]);
});

test('jobs that do not end in time are exit 8', async () => {
  place = await openPlace({ products: 5, jobDelayMs: 3_600_000 });
  writeItems(['I1']);
  expectEnd(
    await place.run(`orders push items.csv --wait=1ms ${getJob}`),
    8,
    "to wait for them: reviewctl jobs wait -c 'get-job=GET /admin/v2/job/{jobId}'\n",
  );
  const { stdout } = expectEnd(await place.run(`jobs wait 1ms ${getJob}`), 8);
  expect(JSON.parse(stdout).state).toBe('pending');
  const assumed = { ...place.env, REVIEWCTL_GET_JOB: 'GET /admin/v2/job/{jobId}' };
  const { stderr } = await place.run('jobs list', { env: assumed });
  expect(stderr).toMatch(/to check again: reviewctl jobs wait\n$/);
  const status = expectEnd(await place.run('status', { env: assumed }), 6);
  expect(recordsIn(status)).toMatchObject([
    { message: 'succeeded' },
    { message: '1 job not followed to the end', status: 'person' },
  ]);
});

test('without an operation to look up jobs, asking for them is exit 2 and names the setting', async () => {
  expectEnd(await place.run('jobs wait'), 2, '-c ');
});

test('Ctrl-C ends a push with 130, tells how to go on, and is on record', async () => {
  writeItems(Array.from({ length: 2000 }, (_, index) => `I${index}`));
  const child = spawn(
    process.execPath,
    [programPath, ...typedWords('orders push items.csv -c concurrency=1 -c batch-size=1 -o none')],
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
  const rows = ['O1,I1,P1', 'O2,1.23457E+15,P1', 'O3,I3,', 'O4,I4,P1'];
  place.write('items.csv', ['orderOriginId,originId,productOriginId', ...rows]);
  const refused = await place.run('orders push items.csv');
  expect(refused).toMatchObject({ exitCode: 3, stdout: '' });
  const skip = '--rejects rejects.csv';
  const pushed = expectEnd(await place.run(`orders push items.csv ${skip}`), 6);
  expect(readFileSync(join(place.folder, 'rejects.csv'), 'utf8')).toBe(
    'orderOriginId,originId,productOriginId,reviewctl-reason\nO2,1.23457E+15,P1,originId: Excel has converted this ' +
      'id to a number in scientific notation: digits are lost; export the file again and import it into Excel with ' +
      'this column as Text; or do not open it in Excel\nO3,I3,,productOriginId: this value is missing; fill it in; ' +
      'every record needs productOriginId\n',
  );
  expect(recordsIn(pushed).map(({ line, outcome }) => `${line} ${outcome}`)).toEqual([
    '3 rejected',
    '4 rejected',
    '2 queued',
    '5 queued',
  ]);
  expect(pushed.stderr).toContain('2 records skipped and written to rejects.csv; 2 records to push');
  expect(recordsIn(await place.run('runs rejects last')).map(({ line }) => line)).toEqual([3, 4]);
});

test('--rejects goes on by the same command while its file of rejects is as it wrote it', async () => {
  writeItems(['1.23457E+15', 'I2']);
  const push = 'orders push items.csv --rejects rejects.csv';
  expectEnd(await place.run(`${push} --max-errors 0`), 7);
  const written = readFileSync(join(place.folder, 'rejects.csv'), 'utf8');
  for (const outcome of ['queued', 'skipped']) {
    const result = await place.run(push);
    expect({ exitCode: result.exitCode, outcomes: recordsIn(result).map((line) => line.outcome) }).toEqual({
      exitCode: 6,
      outcomes: ['rejected', outcome],
    });
  }
  expect(readFileSync(join(place.folder, 'rejects.csv'), 'utf8')).toBe(written);
});

test('--rejects tells every record it leaves out, with its id, also where there are more than are listed', async () => {
  const bad = Array.from({ length: problemsKept + 2 }, (_, index) => `O${index},B${index},`);
  place.write('items.csv', ['orderOriginId,originId,productOriginId', ...bad, 'O,GOOD,P1']);
  const push = 'orders push items.csv --rejects rejects.csv';
  const last = { line: problemsKept + 3, originId: `B${problemsKept + 1}`, outcome: 'rejected' };
  const dry = await place.run(`${push} --dry-run`);
  expect(dry.stderr).toContain('10,002 records skipped for 10,002 problems; 1 record to push');
  expect(recordsIn(dry)).toHaveLength(bad.length + 1);
  const stopped = expectEnd(await place.run(`${push} --max-errors ${problemsKept + 1}`), 7);
  expect(recordsIn(stopped)[bad.length - 1]).toMatchObject(last);
  const noted = recordsIn(await place.run('runs rejects last'));
  expect(noted).toHaveLength(bad.length);
  expect(noted.at(-1)).toMatchObject(last);
});

test('--rejects sends and writes nothing where no record is good', async () => {
  writeItems(['1.23457E+15']);
  const refused = await place.run('orders push items.csv --rejects rejects.csv');
  expectEnd(refused, 3, 'nothing was sent, and rejects.csv was not written');
  expect(existsSync(join(place.folder, 'rejects.csv'))).toBe(false);
});
