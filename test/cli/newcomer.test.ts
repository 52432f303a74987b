import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { copiedPayers } from '../payer/copied-payers.ts';
import {
  type CliResult,
  cleanEnvironment,
  expectEnd,
  programPath,
  runShell,
  temporaryFolder,
} from './run-cli.ts';
import { runOnTerminal } from './run-on-terminal.ts';

/*
 * Tasks of a new user's first days, in order, in one shop. Each quotes the README lines that it follows. All other
 * commands come from help or messages, and the test reads them there.
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
  // The package is where npm installs it globally; commands are typed in another folder.
  const installed = join(folder, 'lib/node_modules/reviewctl/fixtures');
  mkdirSync(installed, { recursive: true });
  copiedPayers(join(installed, 'payers'));
  copyFileSync('fixtures/input/presets/cafe24-products.csv', join(work, 'cafe24.csv'));
  await serve('reviewctl sandbox serve --port 4010 --products 20 --orders 40 --reviews 60');
});

afterAll(async () => {
  if (served === undefined) return;
  served.kill();
  await once(served, 'exit');
});

/** Starts the sandbox with a line of the README, on a free port. */
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

/** The README line that contains these words, without its prompt and comment. */
function line(words: string): string {
  const found = readme
    .split('\n')
    .find((text) => /^(?:\$ )?(?:reviewctl|export) /.test(text) && text.includes(words));
  if (found === undefined) throw new Error(`no line of the README has: ${words}`);
  return found.replace(/^\$ /, '').replace(/ {2,}#.*$/, '');
}

/** Expects that the README contains these words outside a command line. */
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

test('task 2: connects to the sandbox and checks the connection', async () => {
  const exports = `export REVIEWCTL_BASE_URL=${baseUrl} REVIEWCTL_TOKEN=${token}`;
  says('$ export REVIEWCTL_BASE_URL=http://127.0.0.1:4010 $ export REVIEWCTL_TOKEN=…');
  const { stdout } = await done(`${exports}\n${line('reviewctl doctor -o csv')}`);
  expect(stdout).not.toContain('problem');
});

test('task 3: stores address and credential', async () => {
  const login = line('login --base-url').replace('https://reviews.example.com', baseUrl);
  expect((await done(login, `${token}\n`)).stderr).toContain('accepts the credential');
  expect((await done('reviewctl doctor -o csv --fields check,status')).stdout).toContain('credential,ok');
});

test('task 4: pushes an export of Cafe24, with the choices that inspect offers', async () => {
  const inspect = line('orders inspect').replace('orders inspect orders.csv', 'products inspect cafe24.csv');
  const { stdout } = await run(`${inspect} -o table`);
  const [, push = ''] = /^push with:\n {2}(.*)$/m.exec(stdout) ?? [];
  const command = push.replace('YOUR-SHOP', 'mall');
  const refused = await run(command);
  expect(refused.stderr).toContain('push the categories first');
  expect((await done(`${command} --set categories= -o count`)).stdout).toBe('4\n');
});

test('task 5: sees what a push would do, and then pushes a file of their own', async () => {
  writeFileSync(join(work, 'products.csv'), '상품코드,name\nP1,Blue mug\nP2,Teapot\n');
  const dry = await done(line('--dry-run           #'));
  expect(dry.stderr).toContain('dry run, nothing was sent; 2 products: 2 to create');
  expect((await done('reviewctl products push products.csv -o none')).stderr).toContain('2 created');
});

test('task 6: corrects rejected rows and pushes them', async () => {
  writeFileSync(join(work, 'export.csv'), '상품코드,name,isReviewDisabled\nP3,Plate,N\nP4,Cup,maybe\n');
  expectEnd(await run(line('--rejects bad')), 6, 'correct them there and push');
  await done('sed -i s/maybe/Y/ bad-*-??.csv && reviewctl products push bad-*-??.csv -o ids');
});

test('task 7: has a change approved before it is sent, as a plan', async () => {
  says('`--plan-out` keeps it for someone to approve');
  const { stderr } = await done(
    `sed -i s/Teapot/Kettle/ products.csv && reviewctl products push products.csv --plan-out mug.plan -o none`,
  );
  const [, send = ''] = /to send it: (reviewctl .*)/.exec(stderr) ?? [];
  expect((await done(`${send} -o none`)).stderr).toContain('1 updated');
});

test('task 8: undoes a push', async () => {
  says('can be [undone](docs/pushing.md#undo-a-run) for 30 days');
  const { stderr } = await done(
    'sed -i s/Kettle/Pot/ products.csv && reviewctl products push products.csv -o none',
  );
  const [, undo = ''] = /to undo its updates .*: (reviewctl .*)/.exec(stderr) ?? [];
  expect((await done(`${undo} --yes -o none`)).stderr).toContain('1 updated');
});

test('task 9: pushes orders of those products', async () => {
  writeFileSync(join(work, 'orders.csv'), 'Order No,상품코드\n1,P1\n1,P2\n');
  const { stdout } = await run(`${line('orders inspect')} -o table`);
  const [, push = ''] = /^push with:\n {2}(.*)$/m.exec(stdout) ?? [];
  expect((await done(`${push} -o none`)).stderr).toContain('2 queued');
});

test('task 10: reads bad reviews into a spreadsheet', async () => {
  const list = line('reviews list --ratings').replace('-o table', '-o csv --excel');
  const { stdout } = await done(list);
  expect(stdout.startsWith('\ufeffid,')).toBe(true);
  expect(stdout.trimEnd().split('\n').length).toBe(4);
});

test('task 11: lists from cron what is new since the last run', async () => {
  const list = line('--since-last daily');
  await done(list);
  expect(readFileSync(join(work, 'new.csv'), 'utf8').split('\n').length).toBeGreaterThan(20);
  await done(`env -i HOME="$HOME" PATH="$PATH" REVIEWCTL_STATE_DIR="$REVIEWCTL_STATE_DIR" \\
    REVIEWCTL_CONFIG_DIR="$REVIEWCTL_CONFIG_DIR" /bin/sh -c '${list}'`);
  expect(readFileSync(join(work, 'new.csv'), 'utf8').trimEnd().split('\n')).toHaveLength(1);
});

test('task 12: sees the reviews by rating and product', async () => {
  says('| `reviews` | `list`, `stats`, `publish`, `hide` |');
  expect((await done('reviewctl reviews stats -o csv')).stdout).toContain('\nrating,');
});

test('task 13: creates the ledger and sees what would be paid, and who is held and why', async () => {
  await done(`${line('ledger init')} -o none`);
  const { stdout } = await done(`${line('export POINTS_FILE=')}\n${line('rewards settle')} -o csv`);
  expect(stdout).toMatch(/,waiting,.*would be paid\n/);
  expect(stdout).toMatch(/,held,.*the order names no member/);
});

test('task 14: pays by the example payer, within a cap', async () => {
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

test('task 15: resolves a payment whose outcome is unknown', async () => {
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

test('task 16: backs up the ledger, and restores it by what the messages say', async () => {
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

test('task 17: has a monitor called after each settlement', async () => {
  let calls = 0;
  const monitor = createServer((_request, response) => {
    calls += 1;
    response.end();
  });
  await new Promise<void>((resolve) => monitor.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void monitor.close());
  expect((await done('reviewctl help rewards settle')).stdout).toMatch(/see\s+reviewctl\s+help\s+settings/);
  expect((await done('reviewctl help settings')).stdout).toMatch(/\n {2}ping /);
  const { port } = monitor.address() as AddressInfo;
  const settle = line('rewards settle').replace('--dry-run', `-o none -c ping=http://127.0.0.1:${port}/`);
  await done(`${line('export POINTS_FILE=')}\n${settle}`);
  expect(calls).toBeGreaterThan(0);
});

test('task 18: hands the month to finance, and a page on a push to a colleague', async () => {
  says('`export` for month-end');
  const [, example = ''] =
    /\$ (reviewctl ledger export .*\.csv)\n/.exec((await done('reviewctl help ledger export')).stdout) ?? [];
  await done(example.replace(/--month \S+/, '').replace(/> \S+/, '> month.csv'));
  expect(readFileSync(join(work, 'month.csv'), 'utf8')).toContain('expenses:rewards:paid');
  const [, page = ''] =
    /\$ (reviewctl report run last.*)\n/.exec((await done('reviewctl help report run')).stdout) ?? [];
  await done(page);
});

test('task 19: protects the profile from a write by mistake', async () => {
  const [, protect = ''] = /`(reviewctl config set production true)`/.exec(readme) ?? [];
  await done(protect);
  expectEnd(await run('reviewctl products create --origin-id P9 --name Bowl'), 2, 'hint: pass --yes');
  await done('reviewctl products create --origin-id P9 --name Bowl --yes');
});

test('task 20: completes commands in the shell, and finds help, schema and single operations', async () => {
  const [, completion = ''] = /`(source <\(reviewctl completion bash\))`/.exec(readme) ?? [];
  await done(`${completion}\ncomplete -p reviewctl`);
  says(
    '`reviewctl help NOUN VERB` shows its flags; `reviewctl help settings`, `exit-codes`, `environment` and `output`',
  );
  expect((await done('reviewctl help orders push')).stdout).toContain('--map <FIELD=HEADER>');
  for (const topic of ['settings', 'exit-codes', 'environment', 'output'])
    expect((await done(`reviewctl help ${topic}`)).stdout).toMatch(/^ {2}\S/m);
  says('any operation of the API; JSON Schemas of all data');
  expect((await done('reviewctl schema')).stdout).toContain('review');
  expect((await done('reviewctl api listRewards --query first=1')).stdout).toContain('"data"');
});

test('task 21: keeps the mapping of a file, and pushes without it', async () => {
  says("how a shop's files are read");
  writeFileSync(join(work, 'own.csv'), 'Code No,Title\nP20,Jug\n');
  const inspect = line('--save').replace('orders inspect orders.csv', 'products inspect own.csv');
  await done(`${inspect} --map 'originId=Code No' --map name=Title`);
  expect((await done('reviewctl products push own.csv --dry-run -o none')).stderr).toContain('1 to create');
  await done('reviewctl config unset products.map');
});

test('task 22: reads the whole reason of a held reward at 80 columns', async () => {
  const settle = line('rewards settle').replace('"$PAYER"', 'PAYER').split(' ').slice(1);
  const payer = join(folder, 'lib/node_modules/reviewctl/fixtures/payers/minimal.sh');
  const words = settle.map((word) => (word === 'PAYER' ? payer : word));
  const { shown } = await runOnTerminal(words, {
    env: { ...env, POINTS_FILE: join(work, 'paid.ndjson') },
    cwd: work,
    columns: 80,
  });
  expect(shown.replaceAll(/\s+/g, ' ')).toContain('the order names no member: a guest order earns no reward');
  expect(shown.split('\n').filter((text) => text.includes('…'))).toEqual([]);
});
