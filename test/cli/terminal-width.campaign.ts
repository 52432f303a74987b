import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allSurfaces } from '../../src/cli/help/find-surface.ts';
import { openFickleShop } from '../stand-in/fickle-shop.ts';
import { type LedgerShop, openLedgerShop } from './ledger-shop.ts';
import { cleanEnvironment, temporaryFolder } from './run-cli.ts';
import { runOnTerminal } from './run-on-terminal.ts';

/** Prepares a call of a command; returns its arguments. */
type Call = (shop: LedgerShop) => Promise<readonly string[]>;

const job = ['-c', 'get-job=GET /admin/v2/job/{jobId}'];
const count = 4_000;
const rows = Array.from({ length: count }, (_, index) => index);
const orders = ['orderOriginId,originId,productOriginId', ...rows.map((row) => `O${row},I${row},P1`)];
const items = ['id,productOriginId,status', ...rows.map((row) => `${row},P1,CANCEL`)];
const products = ['originId,name', ...rows.map((row) => `N${row},Cup ${row}`)];

const flags =
  (...words: readonly string[]): Call =>
  async () =>
    words;
const file =
  (lines: readonly string[]): Call =>
  async ({ write }) => [write('rows.csv', lines.join('\n'))];
const listed =
  (noun: string): Call =>
  async ({ run }) =>
    (await run(`${noun} list -o ids`)).stdout.trim().split('\n');

/** Every command with progress that a slow service can prolong. */
const calls: Readonly<Record<string, Call>> = {
  'categories push': file(products),
  'jobs wait': async ({ run, write }) => {
    await run(['orders push', write('orders.csv', orders.slice(0, 101).join('\n'))]);
    return ['1h', ...job];
  },
  'ledger init': flags(),
  'ledger reconcile': async ({ run }) => {
    await run('ledger init');
    return [];
  },
  'order-items push': file(items),
  'orders push': file(orders),
  'product-groups list': flags('-c', 'page-size=1'),
  'products list': flags('-c', 'page-size=1'),
  'products push': file(products),
  'report reviews': flags('-c', 'page-size=1', '--out', 'reviews.html'),
  'reviews get': listed('reviews'),
  'reviews hide': listed('reviews'),
  'reviews list': flags('-c', 'page-size=1'),
  'reviews publish': listed('reviews'),
  'reviews stats': flags('-c', 'page-size=1'),
  'rewards list': flags('-c', 'page-size=1'),
  'rewards settle': async (shop) => {
    await shop.run('ledger init');
    shop.write('exit-code', '0');
    return shop.payer.split(' ');
  },
  'runs undo': async ({ runBuilt, write }) => {
    const lines = products.slice(0, 101).join('\n');
    for (const text of [lines, lines.replaceAll('Cup', 'Mug')])
      await runBuilt(['products push', write('products.csv', text)]);
    return ['last'];
  },
};

/** Commands that ask for confirmation on a terminal. */
const asking = new Set(['reviews hide', 'reviews publish', 'runs undo']);

/** Commands that work on local data or on one record, and usually end before a line is drawn. */
const isShort = (words: string) =>
  words.endsWith(' inspect') || ['ledger verify', 'rewards export', 'rewards import'].includes(words);

test('every command with progress is called below, or is short', async () => {
  const surfaces = await allSurfaces();
  const withProgress = surfaces.flatMap((surface) =>
    surface.settings.includes('progress') ? [surface.words] : [],
  );
  expect(withProgress.filter((words) => !isShort(words)).toSorted()).toEqual(Object.keys(calls));
});

/** A progress line, such as `⠋ settling rewards: 3`. */
const liveLine = /[a-z]: \d/;
/** A hundred screens; more than any command writes before it ends. */
const mostShown = 200_000;

async function drawnAtWidthZero(
  argv: readonly string[],
  options: { env: Record<string, string>; cwd: string },
) {
  let isTold = false;
  const { exitCode, shown } = await runOnTerminal([...argv, '-c', 'progress=auto'], {
    ...options,
    columns: 0,
    onShown: (text, _type, kill) => {
      if (text.length > mostShown) kill('SIGKILL');
      if (isTold || !liveLine.test(text)) return;
      isTold = true;
      kill('SIGTERM');
    },
  });
  expect({ exitCode, isTold }, shown.slice(0, 2_000)).toEqual({ exitCode: 143, isTold: true });
  expect(shown.length).toBeLessThan(mostShown);
}

test.each(Object.entries(calls))('at width 0, %s draws its line and ends on SIGTERM', async (words, call) => {
  const shop = await openLedgerShop({ products: 30, reviews: 700, latencyMs: 400, jobDelayMs: 3_600_000 });
  const argv = [...words.split(' '), ...(await call(shop)), ...(asking.has(words) ? ['--yes'] : [])];
  await drawnAtWidthZero(argv, { env: shop.env, cwd: shop.folder });
});

test('so does a push to a service that is not ours', async () => {
  const { baseUrl } = await openFickleShop();
  const folder = temporaryFolder();
  const rows = Array.from({ length: 20_000 }, (_, row) => `N${row},Cup ${row}`);
  writeFileSync(join(folder, 'rows.csv'), ['originId,name', ...rows].join('\n'));
  const env = { ...cleanEnvironment(folder), REVIEWCTL_BASE_URL: baseUrl, REVIEWCTL_TOKEN: 'test' };
  await drawnAtWidthZero(['products', 'push', 'rows.csv'], { env, cwd: folder });
});
