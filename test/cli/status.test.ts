import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openPushJournal } from '../../src/store/open-store.ts';
import { stateLocation } from '../../src/store/state/state-location.ts';
import { serveHttp } from '../client/loopback.ts';
import { SkippingClock } from '../client/skipping-clock.ts';
import { openLedgerShop } from './ledger-shop.ts';
import { openPlace, recordsIn } from './open-place.ts';
import { expectEnd, runShell } from './run-cli.ts';
import { runOnTerminal } from './run-on-terminal.ts';

test('a shop without any job has a status, and nothing waits', async () => {
  const place = await openPlace({ products: 0 });
  expect(await place.run('status -o json')).toMatchObject({
    exitCode: 0,
    stdout: '[]\n',
    stderr: '{"summary":{"message":"nothing waits for a person"}}\n',
  });
});

test('a state that cannot be looked at is not taken for none', async () => {
  const place = await openPlace({ products: 0 });
  const folder = join(
    place.folder,
    'state',
    'default',
    new URL(place.sandbox.baseUrl).host.replace(':', '_'),
  );
  const path = join(folder, 'pushes.db');
  mkdirSync(folder, { recursive: true });
  symlinkSync(path, path);
  expectEnd(await place.run('status'), 2, `${path} cannot be accessed: ELOOP`);
});

test('what is read from standard input is not the credential', async () => {
  const place = await openPlace({ products: 0 });
  const { REVIEWCTL_TOKEN: _, ...env } = place.env;
  for (const command of ['products push', 'orders push', 'products inspect']) {
    const { stdout, stderr } = expectEnd(
      await place.run(`${command} - -c token-file=-`, { env, stdin: 'secrettoken123\n' }),
      2,
      'standard input cannot hold both the credential and records',
    );
    expect(stdout + stderr).not.toContain('secrettoken123');
  }
});

test('in a working folder that is gone a command says so, and completion and help work', async () => {
  const place = await openPlace({ products: 0 });
  const gone = (line: string) =>
    runShell(`mkdir gone && cd gone && rmdir ../gone && ${line}`, { cwd: place.folder, env: place.env });
  expectEnd(await gone('reviewctl status'), 2, 'error: the working folder no longer exists\nhint: ');
  expectEnd(await gone('reviewctl products list'), 2, 'error: the working folder no longer exists\nhint: ');
  expectEnd(await gone('reviewctl status --help'), 0);
});

test('pushes are named by their files, with the last success; a failed one with its command', async () => {
  const place = await openPlace({ products: 0 });
  const file = place.write('export-2026-11-24.csv', ['originId,name', 'P1,Mug']);
  await place.run(`products push ${file}`);
  const lines = recordsIn(await place.run('status'));
  expect(lines).toMatchObject([
    { about: 'products export-#-#-#.csv', status: 'ok', message: 'succeeded', last: expect.any(String) },
  ]);
  place.write('export-2026-11-24.csv', ['originId,name', 'P1,Cup']);
  expectEnd(await place.run(`products push ${file} --max-change 0`), 7);
  const [line] = recordsIn(await place.run('status'));
  expect(line).toMatchObject({
    status: 'person',
    message: expect.stringMatching(/^the last push, run \S+, ended with exit code 7$/),
  });
  expect(line.next).toContain(`reviewctl products push ${file}`);
  place.write('export-2026-11-24.csv', ['originId,name', 'P9,Cup']);
  expectEnd(await place.run(`products push ${file} --update-only`), 6, '1 rejected');
  expect(recordsIn(await place.run('status'))[0]).toMatchObject({
    message: expect.stringMatching(/code 6$/),
  });
});

test('a push that was killed is named with the command that goes on', async () => {
  const place = await openPlace({ products: 0 });
  const file = place.write('p.csv', ['originId,name', 'P1,Mug']);
  await place.run(`products push ${file}`);
  const host = new URL(place.sandbox.baseUrl).host.replace(':', '_');
  const journal = await openPushJournal(stateLocation(join(place.folder, 'state', 'default', host)));
  const [run] = await journal.runs.list();
  if (run === undefined) throw new Error('the push is on record');
  await journal.runs.begin({ ...run, startedMs: run.startedMs + 1 });
  await journal.close();
  const [line] = recordsIn(expectEnd(await place.run('status'), 6));
  expect(line).toMatchObject({
    status: 'person',
    message: expect.stringMatching(/^the last push, run \S+, was killed$/),
    next: `reviewctl products push ${file}`,
  });
});

test('what failed is named however many files were pushed since, and nothing but a whole push is a success', async () => {
  const place = await openPlace({ products: 0 });
  const push = (name: string, more = '') =>
    place.run(
      `products push ${place.write(name, ['originId,name', `${name},Mug`, 'P2,Pot'])} -o none ${more}`,
    );
  expectEnd(await push('failed.csv', '--max-change 0 --update-only'), 6);
  await push('canary.csv', '--limit=1');
  expect(recordsIn(await place.run('status -c expect-jobs=products:1h')).at(-1)).toMatchObject({
    message: 'no recorded success; expected within 1h',
  });
  for (const letter of 'abcdefghijklmnopqrstuv') await push(`${letter}.csv`);
  const lines = recordsIn(expectEnd(await place.run('status', { cwd: '/' }), 6));
  const failed = lines.find(({ about }) => about === 'products failed.csv');
  expect(failed).toMatchObject({ status: 'person' });
  expect(failed.next).toMatch(/^cd \/.* && reviewctl products push /);
  expect(lines.filter(({ status }) => status === 'ok')).toHaveLength(20);
});

test('a push that stopped before its end is no success', async () => {
  const { url, seen } = await serveHttp(({ method }, response) => {
    const { originId, name } = JSON.parse(seen.at(-1)?.body || '{}');
    const made = { id: `7${originId}`, originId, name: name?.slice(0, 4) };
    const none = { data: [], totalCount: 0, pageInfo: { hasNextPage: false } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(method === 'GET' ? none : made));
  });
  const place = await openPlace({}, { REVIEWCTL_BASE_URL: url });
  const file = place.write('p.csv', ['originId,name', 'P1,Mug', 'P2,Kettle', 'P3,Pot']);
  expectEnd(await place.run(`products push ${file} -o none -c concurrency=1`), 6, '1 record not attempted');
  expect(recordsIn(await place.run('status'))[0]).toMatchObject({
    status: 'person',
    message: expect.stringMatching(/ended with exit code 6$/),
  });
});

test('open rejects are named until they are pushed, and end it with 6', async () => {
  const place = await openPlace({ products: 0 });
  const push = (row: string) =>
    place.run([
      'products push',
      place.write('p.csv', ['originId,name,isReviewDisabled', row, 'P2,Pot,N']),
      `--rejects ${place.folder}/r-${row.length}.csv`,
    ]);
  await push('P1,Mug,maybe');
  const status = expectEnd(await place.run('status'), 6);
  expect(recordsIn(status).at(-1)).toEqual({
    about: 'rejects',
    status: 'person',
    message: '1 record rejected or failed, and not pushed since',
    last: null,
    ageSeconds: null,
    next: 'reviewctl runs rejects --open',
  });
  await push('P1,Mug,N');
  expectEnd(await place.run('status'), 0);
});

test('a job that is expected is late without a success of its age', async () => {
  const place = await openPlace({ products: 0 });
  const expected = 'status -c expect-jobs=products:26h,nightly:7d';
  expect(recordsIn(await place.run(expected))).toMatchObject([
    { about: 'job products', status: 'late', message: 'no recorded success; expected within 26h' },
    { about: 'job nightly', status: 'late' },
  ]);
  await place.run(['products push', place.write('p.csv', ['originId,name', 'P1,Mug'])]);
  await place.run('reviews list --since-last nightly -o none');
  const met = expectEnd(await place.run(expected), 0);
  expect(recordsIn(met).slice(-2)).toMatchObject([
    { about: 'job products', status: 'ok', ageSeconds: expect.any(Number) },
    { about: 'job nightly', status: 'ok' },
  ]);
  const clock = new SkippingClock();
  await clock.sleep(27 * 60 * 60 * 1000);
  const late = await place.run(expected, { clock });
  expect({ code: late.exitCode, lines: recordsIn(late).slice(-2) }).toMatchObject({
    code: 6,
    lines: [
      {
        about: 'job products',
        status: 'late',
        message: 'no success within 26h',
        next: 'reviewctl runs list',
      },
      { about: 'job nightly', status: 'ok' },
    ],
  });
  expectEnd(
    await place.run('status -c expect-jobs=products'),
    2,
    'expected a job and an age, such as products:26h or settle:30m',
  );
});

test('a damaged checkpoint is one line that waits for a person, and hides no other', async () => {
  const place = await openPlace({ products: 0 });
  for (const name of ['nightly', 'weekly']) await place.run(`reviews list --since-last ${name} -o none`);
  const host = new URL(place.sandbox.baseUrl).host.replace(':', '_');
  const state = join(place.env['REVIEWCTL_STATE_DIR'] ?? '', 'default', host);
  writeFileSync(join(state, 'since-last-listReviews-nightly.json'), '{');
  const status = await place.run('status');
  expect({ exitCode: status.exitCode, lines: recordsIn(status) }).toMatchObject({
    exitCode: 6,
    lines: [
      { about: 'list nightly', status: 'person', message: expect.stringContaining(state) },
      { about: 'list weekly', status: 'info' },
    ],
  });
});

test('the ledger says what its payments wait for, each with the command to type', async () => {
  const shop = await openLedgerShop();
  await shop.run('ledger init --yes');
  await shop.settle(3, '--max-count 1');
  await shop.run("ledger freeze --reason 'an audit'");
  const { exitCode, stdout } = await shop.run('status -c max-amount-per-day=50000');
  expect(exitCode).toBe(6);
  const lines = recordsIn({ exitCode, stdout, stderr: '' });
  expect(lines.map(({ about, status, next }) => [about, status, next])).toEqual([
    ['settlements', 'info', undefined],
    ['payments', 'person', 'reviewctl ledger list --payment unknown'],
    ['ledger', 'person', 'reviewctl ledger unfreeze'],
    ['today', 'info', undefined],
  ]);
  expect(lines[2].message).toBe('frozen: an audit');
  expect(lines[3].message).toMatch(/^0 paid, [\d,]+ reserved of 50,000, Korean day/);
  rmSync(shop.ledgerPath);
  const gone = { about: 'ledger', status: 'person', message: expect.stringContaining('but there was one') };
  expect(recordsIn(await shop.run('status')).at(-1)).toMatchObject(gone);
});

test('a settlement is a success of its job once nothing that it paid is in doubt', async () => {
  const shop = await openLedgerShop();
  await shop.run('ledger init --yes');
  const clock = new SkippingClock();
  const settlements = async () => {
    const { stdout, stderr } = await shop.run('status -c expect-jobs=settle:30m', { clock });
    const lines = recordsIn({ exitCode: 0, stdout, stderr });
    return lines.filter(({ about }) => /settle/.test(about));
  };
  const late = { about: 'job settle', status: 'late', message: 'no recorded success; expected within 30m' };
  expect(await settlements()).toMatchObject([{ about: 'settlements', message: 'none yet' }, late]);
  // Exit code 3 leaves the outcome unknown.
  expectEnd(await shop.settle(3, '--max-count 1'), 11);
  const failed = { message: expect.stringMatching(/^none has succeeded yet; the last is run \S+$/) };
  expect(await settlements()).toMatchObject([failed, late]);
  await shop.run('ledger resolve --paid --ref R1 --yes -', { stdin: shop.paid().join('\n') });
  expectEnd(await shop.settle(0), 0);
  const met = {
    about: 'job settle',
    status: 'ok',
    message: 'succeeded within 30m',
    ageSeconds: expect.any(Number),
  };
  const succeeded = { message: 'succeeded', last: expect.any(String) };
  expect(await settlements()).toMatchObject([succeeded, met]);
  const payer = `${shop.payer} -o none`;
  await clock.sleep(60_000);
  expectEnd(await shop.run(`rewards settle 1 ${payer}`, { clock }), 6);
  expect(await settlements()).toMatchObject([succeeded, met]);
  await shop.run('sandbox write-review');
  shop.write('exit-code', '3');
  const later = { message: expect.stringMatching(/^succeeded; run \S+ after it has not succeeded yet$/) };
  for (const [more, exitCode] of [
    ['-c max-per-reward=1 -c fail-on-held=true', 6] as const,
    ['', 11] as const,
  ]) {
    expectEnd(await shop.run(`rewards settle ${payer} ${more}`, { clock }), exitCode);
    expect(await settlements()).toMatchObject([later, met]);
  }
});

test('the service is asked with --online alone', async () => {
  const shop = await openLedgerShop();
  const offline = { ...shop.env, REVIEWCTL_BASE_URL: 'http://127.0.0.1:1' };
  expectEnd(await shop.run('status', { env: offline }), 0);
  expect(recordsIn(await shop.run('status --online')).at(-1)).toMatchObject({
    about: 'service',
    status: 'ok',
    message: expect.stringMatching(/^accepts the credential; \d+ rewards QUEUED$/),
  });
  expectEnd(await shop.run('status --online -c retries=0', { env: offline }), 5);
});

test('on a terminal what waits for a person comes last, and whole', async () => {
  const shop = await openLedgerShop();
  await shop.run('ledger init --yes');
  await shop.run("ledger freeze --reason 'the books of November are compared by the office in Seoul'");
  const { shown } = expectEnd(
    await runOnTerminal(['status'], {
      env: { ...shop.env, NO_COLOR: '1' },
      columns: 80,
    }),
    6,
  );
  const words = shown.replaceAll(/\s+/g, ' ');
  expect(words).toContain('ledger person reviewctl ledger unfreeze frozen: the books of November');
  expect(words).toMatch(/are compared by the office in Seoul 1 late or waiting for a person $/);
});

test('the guide to unattended jobs names it', () => {
  expect(readFileSync('docs/monitoring.md', 'utf8')).toContain('reviewctl status');
});
