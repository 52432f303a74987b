import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copiedPayers } from '../payer/copied-payers.ts';
import {
  type CliResult,
  cleanEnvironment,
  expectEnd,
  programPath,
  runShell,
  temporaryFolder,
} from './run-cli.ts';

/*
 * Tasks of somebody's first days, in their order, with one shop. Each names the words of the README that it
 * follows; whatever else is typed comes from help or from a message, and is read there by the test.
 */

const readme = readFileSync('README.md', 'utf8');
const folder = temporaryFolder();
const work = join(folder, 'work');
const env = { ...cleanEnvironment(folder), npm_config_prefix: folder };
let served: ChildProcess | undefined;
let baseUrl = '';
let token = '';

beforeAll(async () => {
  mkdirSync(work);
  // The package, where npm installs it for all; what is typed is typed in another folder.
  const installed = join(folder, 'lib/node_modules/reviewctl/fixtures');
  mkdirSync(installed, { recursive: true });
  copiedPayers(join(installed, 'payers'));
  await serve('reviewctl sandbox serve --port 4010 --products 20 --orders 40 --reviews 60');
});

afterAll(async () => {
  if (served === undefined) return;
  served.kill();
  await once(served, 'exit');
});

/** Starts the sandbox by a line of the README, on a port of its own. */
async function serve(line: string): Promise<void> {
  expect(readme).toContain(`$ ${line}\n`);
  const [, ...words] = line.replace('--port 4010', '--port 0').split(' ');
  served = spawn(process.execPath, [programPath, ...words], { env, cwd: work, stdio: 'pipe' });
  if (served.stdout === null) throw new Error('no output to read');
  for await (const output of createInterface({ input: served.stdout })) {
    ({ baseUrl, token } = JSON.parse(output) as { baseUrl: string; token: string });
    return;
  }
}

const run = (lines: string, stdin = ''): Promise<CliResult> => runShell(lines, { env, cwd: work, stdin });

/** The line of the README that holds these words, without its prompt and comment. */
function line(words: string): string {
  const found = readme
    .split('\n')
    .find((text) => /^(?:\$ )?(?:reviewctl|export) /.test(text) && text.includes(words));
  if (found === undefined) throw new Error(`no line of the README has: ${words}`);
  return found.replace(/^\$ /, '').replace(/ {2,}#.*$/, '');
}

/** Requires words of the README that are no line to type. */
function says(words: string): void {
  expect(readme.replaceAll(/\s+/g, ' ')).toContain(words);
}

async function done(lines: string, stdin = ''): Promise<CliResult> {
  const result = await run(lines, stdin);
  expect(result, lines).toMatchObject({ exitCode: 0 });
  return result;
}

test('task 1: sets the clone up and sees what the tool does, in a demo', async () => {
  says('```sh npm ci && npm run demo npm ci && npm test ```');
  expect(JSON.parse(readFileSync('package.json', 'utf8'))).toMatchObject({
    scripts: { demo: expect.stringContaining('reviewctl.js demo') },
  });
  expect((await done('reviewctl demo')).stdout).toContain('paid');
}, 60_000);

test('task 2: stores address and credential', async () => {
  const login = line('login --base-url').replace('https://reviews.example.com', baseUrl);
  expect((await done(login, `${token}\n`)).stderr).toContain('accepts the credential');
  expect((await done('reviewctl doctor -o csv --fields check,status')).stdout).toContain('credential,ok');
});

test('task 3: sees what a push would do, and then pushes a file of their own', async () => {
  writeFileSync(join(work, 'products.csv'), '상품코드,name\nP1,Blue mug\nP2,Teapot\n');
  const dry = await done(line('--dry-run           #'));
  expect(dry.stderr).toContain('dry run, nothing was sent; 2 products: 2 to create');
  expect((await done('reviewctl products push products.csv -o none')).stderr).toContain('2 created');
});

test('task 4: corrects rejected rows and pushes them', async () => {
  writeFileSync(join(work, 'export.csv'), '상품코드,name,isReviewDisabled\nP3,Plate,N\nP4,Cup,maybe\n');
  expectEnd(await run(line('--rejects bad')), 6, 'correct them there and push');
  await done('sed -i s/maybe/Y/ bad-*-??.csv && reviewctl products push bad-*-??.csv -o ids');
});

test('task 5: has a change approved before it is sent, as a plan', async () => {
  says('`--plan-out` keeps it for someone to approve');
  const { stderr } = await done(
    `sed -i s/Teapot/Kettle/ products.csv && reviewctl products push products.csv --plan-out mug.plan -o none`,
  );
  const [, send = ''] = /to send it: (reviewctl .*)/.exec(stderr) ?? [];
  expect((await done(`${send} -o none`)).stderr).toContain('1 updated');
});

test('task 6: lists from cron what is new since the last run', async () => {
  const list = line('--since-last daily');
  await done(list);
  expect(readFileSync(join(work, 'new.csv'), 'utf8').split('\n').length).toBeGreaterThan(20);
  await done(`env -i HOME="$HOME" PATH="$PATH" REVIEWCTL_STATE_DIR="$REVIEWCTL_STATE_DIR" \\
    REVIEWCTL_CONFIG_DIR="$REVIEWCTL_CONFIG_DIR" /bin/sh -c '${list}'`);
  expect(readFileSync(join(work, 'new.csv'), 'utf8').trimEnd().split('\n')).toHaveLength(1);
});

test('task 7: creates the ledger and sees what would be paid, and who is held and why', async () => {
  await done(`${line('ledger init')} -o none`);
  const { stdout } = await done(`${line('export POINTS_FILE=')}\n${line('rewards settle')} -o csv`);
  expect(stdout).toMatch(/,waiting,.*would be paid\n/);
  expect(stdout).toMatch(/,held,.*the order names no member/);
});

test('task 8: pays by the example payer, within a cap', async () => {
  says('`--max-amount`, `max-amount-per-day` and other caps limit what is paid');
  const settle = line('rewards settle').replace(' --dry-run', ' --max-amount 3000 -o none');
  expectEnd(
    await run(`${line('export POINTS_FILE=')}\n${settle}`),
    7,
    /\d paid \([\d,]+\)/,
    'hint: the next run continues, or this command with a higher cap',
  );
  const paid = readFileSync(join(work, 'paid.ndjson'), 'utf8').trimEnd().split('\n');
  const amounts = paid.map((call) => (JSON.parse(call) as { amount: number }).amount);
  expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBeLessThanOrEqual(3000);
});

test('task 9: resolves a payment whose outcome is unknown', async () => {
  writeFileSync(join(work, 'broken.sh'), '#!/bin/sh\nexit 1\n', { mode: 0o700 });
  const settle = line('rewards settle').replace('$PAYER', '$PWD/broken.sh');
  expectEnd(
    await run(`${line('export POINTS_FILE=')}\n${settle.replace('--dry-run', '--max-count 1 -o none')}`),
    11,
  );
  const { stdout, stderr } = await done(`${line('--payment unknown')} -o ids`);
  const [, resolve = ''] = /(reviewctl ledger resolve ID --paid --ref R)/.exec(stderr) ?? [];
  await done(`${resolve.replace('ID', stdout.trim()).replace(' R', ' 17')} --yes`);
  expect((await done(`${line('--payment unknown')} -o count`)).stdout).toBe('0\n');
});

test('task 10: backs up the ledger, and restores it by what the messages say', async () => {
  says('Back up the ledger every night');
  const { stdout } = await done('reviewctl help ledger backup');
  expect(stdout).toContain('$ reviewctl ledger backup "/backup/ledger-$(date');
  const { stderr } = await done('reviewctl ledger backup copy.db');
  const [, restore = ''] = /to restore it: (.*?); then/.exec(stderr) ?? [];
  const accepted = await done(`${restore} --yes`);
  const statement = `key,amount\n${readFileSync(join(work, 'paid.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((call) => JSON.parse(call) as { key: string; amount: number })
    .map(({ key, amount }) => `${key},${amount}\n`)
    .join('')}`;
  writeFileSync(join(work, 'FILE'), statement);
  const [, reconcile = ''] =
    /(reviewctl ledger reconcile --payer-statement FILE --statement-end now)/.exec(accepted.stderr) ?? [];
  await run(`${reconcile} -o none`);
  const [, unfreeze = ''] = /(reviewctl ledger unfreeze)/.exec(accepted.stderr) ?? [];
  await done(unfreeze);
  expect((await done('reviewctl ledger status -o ndjson')).stdout).toContain('"frozen":null');
});
