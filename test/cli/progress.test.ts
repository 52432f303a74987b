import { expect, test } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { openLedgerShop } from './ledger-shop.ts';
import { openPlace } from './open-place.ts';
import { RacingClock } from './racing-clock.ts';
import { expectEnd } from './run-cli.ts';

const plain = ['-c', 'progress=plain', '-o', 'none'];
const pace = String.raw`(?:, [\d,]+/s, [\d a-z]+ left)?`;

test('all pages of a list are read with its progress', async () => {
  const { run } = await openPlace({ products: 3, orders: 400, reviews: 250 });
  const { stderr } = await run(['reviews list', ...plain], { clock: new RacingClock() });
  expect(stderr).toMatch(
    new RegExp(
      String.raw`^reading review records: 100 of 250 \(40 %\)${pace}\n` +
        String.raw`reading review records: 200 of 250 \(80 %\)${pace}\n`,
    ),
  );
});

test('a new ledger shows what is read and what is imported, and its comparisons and checks how far they are', async () => {
  const shop = await openLedgerShop({ reviews: 250 });
  const run = (...argv: readonly string[]) => shop.run([...argv, ...plain], { clock: new RacingClock() });
  const { stdout } = await shop.run('rewards list --limit 2 -o ids');
  const count = Number((await shop.run('rewards list -o count')).stdout);
  const paid = shop.write('paid.txt', stdout);
  const made = await run(`ledger init --already-paid ${paid}`);
  expect(made.stderr).toMatch(new RegExp(String.raw`^reading QUEUED rewards: 100 of ${count} \(\d+ %\)`));
  expect(made.stderr).toContain('importing paid rewards: 2 of 2 (100 %)');
  const compared = await run('ledger reconcile');
  expect(compared.stderr).toMatch(new RegExp(String.raw`^reading rewards: 100 of ${count} \(\d+ %\)`));
  expect(compared.stderr).toContain('comparing entries of the ledger: 2 of 2 (100 %)');
  const { stderr } = await run('ledger verify');
  expect(stderr).toMatch(/^checking events: 2 of 2 \(100 %\)/);
});

test('a push and inspect show how many records are checked, and which reading of the input it is', async () => {
  const { run, write } = await openPlace({ products: 1 });
  const rows = Array.from({ length: 30_000 }, (_, index) => `O${index},I${index},P1`);
  const file = write('items.csv', ['orderOriginId,originId,productOriginId', ...rows]);
  const checked = /^(?:checking records: [\d,]+, [\d,]+\/s\n)+/;
  const pushed = await run([`orders push ${file} --dry-run`, ...plain], { clock: new RacingClock() });
  expect(pushed.stderr).toMatch(checked);
  expect(pushed.stderr).toContain('checking records: 30,000, ');
  const inspected = await run([`orders inspect ${file}`, ...plain], { clock: new RacingClock() });
  expect(inspected.stderr).toMatch(checked);
  const products = Array.from({ length: 30_000 }, (_, index) => `P${index},Shirt,/a${index}.jpg`);
  const catalog = write('products.csv', ['originId,name,imageUrl', ...products]);
  const { stderr } = await run([`products inspect ${catalog}`, ...plain], { clock: new RacingClock() });
  expect(stderr).toContain('checking records: 30,000, ');
  expect(stderr).toContain('checking records again: 30,000, ');
});

test('a wait for jobs shows how many have ended, of how many', async () => {
  const { run, write } = await openPlace({ products: 1, jobDelayMs: 1 });
  const file = write('items.csv', ['orderOriginId,originId,productOriginId', 'O1,I1,P1', 'O2,I2,P1']);
  await run(`orders push ${file}`);
  const wait = ['jobs', 'wait', '1h', '-c', 'get-job=GET /admin/v2/job/{jobId}', ...plain];
  const { stderr } = await run(wait, { clock: new RacingClock() });
  expect(stderr).toMatch(/^waiting for jobs: 2 of 2 \(100 %\).*\njobs: 2 failed\n/);
});

test('it is written for programs with -c progress=json, and not at all with -q or where nobody watches', async () => {
  const { run } = await openPlace({ products: 1, orders: 200, reviews: 120 });
  const all = ['reviews list', '-o', 'none'];
  const [first = ''] = (await run([...all, '-c progress=json'], { clock: new RacingClock() })).stderr.split(
    '\n',
  );
  expect(JSON.parse(first).progress).toMatchObject({
    label: 'reading review records',
    done: 100,
    total: 120,
  });
  for (const flags of [['-q', '-c', 'progress=plain'], []])
    expect((await run([...all, ...flags], { clock: new RacingClock() })).stderr).not.toContain('reading');
});

test('a check of a ledger can be interrupted', async () => {
  const { run } = await openLedgerShop({ reviews: 3 });
  const { stdout } = await run('rewards list -o ids');
  await run('ledger init --already-paid -', { stdin: stdout });
  const stopping = AbortSignal.abort(new Failure('interrupted', 'interrupted before the end'));
  expectEnd(
    await run('ledger verify', { stopping }),
    130,
    'hint: the output is incomplete; run the same command again',
  );
});
