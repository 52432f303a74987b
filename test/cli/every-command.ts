import { readFileSync } from 'node:fs';
import type { LedgerShop } from './ledger-shop.ts';

/*
 * Calls of every command that prints records; all succeed against a sandbox. Tests compare the printed records and the
 * requests with descriptions of them.
 */

export type Printed = ReturnType<typeof JSON.parse>;
type Run = (line: string, stdin?: string) => Promise<readonly Printed[]>;
type Print = (run: Run, shop: LedgerShop) => Promise<unknown>;
/** By the words of a command: the schema of its records, and a call that prints some. */
export type Commands = Readonly<Record<string, readonly [schema: string, print: Print]>>;

const idOf = async (run: Run, list: string): Promise<string> => (await run(list))[0].id;

/** Every command that prints records of the service. */
export const serviceCommands: Commands = {
  'products list': ['product', (run) => run('products list')],
  'products get': ['product', async (run) => run(`products get ${await idOf(run, 'products list')}`)],
  'products create': ['product', (run) => run('products create --origin-id N1 --name 컵 --group-name 컵들')],
  'products update': [
    'product',
    async (run) => run(`products update ${await idOf(run, 'products list')} --name 잔`),
  ],
  'product-groups list': ['product-group', (run) => run('product-groups list')],
  'product-groups add-product': [
    'product-group',
    async (run) =>
      run(
        `product-groups add-product ${await idOf(run, 'product-groups list')} ${await idOf(run, 'products list')}`,
      ),
  ],
  'categories create': ['category', (run) => run('categories create --origin-id C1 --name 잔')],
  'orders get': ['order', async (run) => run(`orders get ${(await firstOrder(run)).id}`)],
  'orders update': [
    'order',
    async (run) => run(`orders update ${(await firstOrder(run)).id} --member-origin-id 77`),
  ],
  'orders add-item': [
    'order',
    async (run) =>
      run(
        `orders add-item ${(await firstOrder(run)).id} --origin-id 8 --product-origin-id ${(await firstOrder(run)).product} --paid-price 12.5`,
      ),
  ],
  'order-items get': [
    'order-item',
    async (run) => {
      const { id, item } = await firstOrder(run);
      return run(`order-items get ${id} ${item}`);
    },
  ],
  'order-items update': [
    'order-item',
    async (run) => {
      const { item, product } = await firstOrder(run);
      return run(`order-items update ${item} --product-origin-id ${product} --paid-price 6300.5`);
    },
  ],
  'reviews list': ['review', (run) => run('reviews list')],
  'reviews get': ['review', async (run) => run(`reviews get ${await idOf(run, 'reviews list')}`)],
  'rewards list': ['reward', (run) => run('rewards list')],
  'rewards get': ['reward', async (run) => run(`rewards get ${await idOf(run, 'rewards list')}`)],
  'rewards update': [
    'reward',
    async (run) =>
      run(`rewards update ${await idOf(run, 'rewards list --status QUEUED')} --status FAILURE --yes`),
  ],
  'sandbox write-review': ['written-review', (run) => run('sandbox write-review --images 1 --videos 1')],
};

/** An order with reviews, one of its items and that item's product. */
async function firstOrder(run: Run) {
  const [{ order, orderItem, product }] = await run('reviews list --limit 1');
  return { id: order.id, item: orderItem.id, product: product.originId };
}

/** Every command that prints records of its own, ordered so that each finds the records it needs. */
export const ownCommands: Commands = {
  'products push': [
    'outcome',
    (run, { folder }) =>
      run(`products push - --rejects ${folder}/rejects.csv`, 'originId,name\nP2,\nP1,컵\n'),
  ],
  'categories push': ['outcome', (run) => run('categories push -', 'originId,name\nK1,잔\n')],
  'orders push': [
    'outcome',
    (run) => run('orders push -', 'orderOriginId,originId,productOriginId\nX1,X1-1,P1\nX1,X1-2,P404\n'),
  ],
  'order-items push': [
    'outcome',
    async (run) => {
      const { item, product } = await firstOrder(run);
      const rows = `id,productOriginId,status\n${item},${product},EXCHANGE\n404,${product},CANCEL\n`;
      return [
        ...(await run('order-items push - --dry-run', rows)),
        ...(await run('order-items push -', rows)),
      ];
    },
  ],
  'plan show': [
    'planned-record',
    async (run, { folder }) => {
      const [products, items] = [`${folder}/products.plan`, `${folder}/items.plan`];
      await run(`products push - --plan-out ${products}`, 'originId,name\nP8,\nP1,접시\nP9,컵\n');
      const { item, product } = await firstOrder(run);
      const rows = `id,productOriginId,status\n${item},${product},RETURN\n`;
      await run(`order-items push - --plan-out ${items}`, rows);
      return [await run(`plan show ${products}`), await run(`plan show ${items}`)];
    },
  ],
  'runs list': ['run', (run) => run('runs list')],
  'runs show': ['run', async (run) => run(`runs show ${(await run('runs list'))[0].run}`)],
  'runs rejects': ['outcome', (run) => run('runs rejects last')],
  'runs undo': [
    'outcome',
    async (run) => {
      await run('products push -', 'originId,name\nP7,Cup\n');
      await run('products push -', 'originId,name\nP7,Mug\nP6,Pot\n');
      return run('runs undo last');
    },
  ],
  'runs prune': ['pruned-run', (run) => run('runs prune 0s --dry-run')],
  'runs resolve': ['record-resolution', (run) => run('runs resolve last P7 --sent --yes')],
  'jobs list': ['stored-job', (run) => run('jobs list')],
  'jobs wait': ['stored-job', (run) => run("jobs wait -c 'get-job=GET /admin/v2/job/{jobId}'")],
  'reviews stats': ['review-statistic', (run) => run('reviews stats')],
  'reviews hide': [
    'review-outcome',
    async (run) => run('reviews hide -', `${await idOf(run, 'reviews list')}\n404\n`),
  ],
  'reviews publish': [
    'review-outcome',
    async (run) => {
      const id = await idOf(run, 'reviews list');
      await run(`reviews publish ${id}`);
      return run('reviews publish -', `${id}\n404\n`);
    },
  ],
  'ledger init': ['new-ledger', (run) => run('ledger init')],
  'payer check': ['payer-call', (run, shop) => run(`payer check ${shop.payer} --member 1 --amount 1 --yes`)],
  'rewards settle': ['reward-outcome', (run, shop) => run(`rewards settle ${shop.payer} --max-count 2`)],
  'rewards export': [
    'reward-outcome',
    (run, { folder }) => run(`rewards export ${folder}/batch.csv --max-count 1`),
  ],
  'rewards import': [
    'reward-outcome',
    (run, { folder, write }) => {
      const batch = readFileSync(`${folder}/batch.csv`, 'utf8');
      const results = write('results.csv', batch.replaceAll(/,,,$/gm, ',paid,,'));
      return run(`rewards import ${results}`);
    },
  ],
  'ledger status': ['ledger-status', (run) => run('ledger status')],
  'ledger list': ['ledger-entry', (run) => run('ledger list')],
  'ledger show': [
    'ledger-entry',
    async (run) => run(`ledger show ${(await run('ledger list'))[0].rewardId}`),
  ],
  'ledger reconcile': [
    'ledger-difference',
    (run, { write }) => {
      const statement = write('statement.csv', 'rewardId,amount\nnone,12.5\n');
      return run(`ledger reconcile --payer-statement ${statement}`);
    },
  ],
  'ledger resolve': [
    'ledger-resolution',
    async (run, shop) => {
      await shop.settle(1);
      const [{ rewardId }] = await run('ledger list --payment unknown');
      return run(`ledger resolve ${rewardId} --paid --ref r1 --reason seen --yes`);
    },
  ],
  doctor: ['check', (run) => run('doctor')],
  status: ['status-line', (run) => run('status')],
  'profile list': [
    'profile',
    async (run, { served, run: runAny }) => {
      await runAny(['login', '--profile', 'mall', '--base-url', served.baseUrl], {
        stdin: `${served.token}\n`,
      });
      return run('profile list');
    },
  ],
  'profile show': ['setting', (run) => run('profile show mall')],
  'config list': ['setting', (run) => run('config list')],
};

/** Commands whose records have no schema, or that print nothing if all is well. */
export const otherCommands: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['products', 'categories', 'orders', 'order-items'].map((noun) => [`${noun} inspect`, 'prints a report']),
  ),
  api: 'prints the records of the operation that is called',
  'ledger verify': 'prints the problems of a damaged ledger',
  'sandbox hints': 'prints what a webhook answered',
  'sandbox serve': 'prints its address',
};

/** Parses records printed as NDJSON or JSON. */
export function recordsIn(stdout: string, format: string): readonly Printed[] {
  if (format === 'json') return stdout === '' ? [] : JSON.parse(stdout);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
