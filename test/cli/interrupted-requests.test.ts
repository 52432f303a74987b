import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { pageOf, type Route, type Routes, standInShop } from '../stand-in/serve-stand-in.ts';
import { expectEnd, programPath } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const products = ['originId,name,imageUrl'];
for (let number = 1; number <= 20; number += 1)
  products.push(`P${number},Name ${number},https://shop.example/i/${number}.jpg`);
const items = ['orderOriginId,originId,productOriginId'];
for (let number = 1; number <= 20; number += 1) items.push(`O${number},I${number},P1`);
const categories = ['originId,name,parentOriginId', 'C1,One,', 'C2,Two,C1', 'C3,Three,C2'];

/** Answers like a service without records, and accepts every write. */
const empty: Routes = {
  'GET /admin/v2/products': () => pageOf([]),
  'GET /admin/v2/product-groups': () => pageOf([]),
  'GET /admin/v2/reviews': () => pageOf([]),
  'GET /admin/v2/product/{}': ({ ids }) => ({ id: ids[0], originId: 'P1' }),
  'POST /admin/v2/product': ({ body }) => ({ id: `s-${originIdOf(body)}`, ...Object(body) }),
  'POST /admin/v2/category': ({ body }) => ({ id: `s-${originIdOf(body)}`, ...Object(body) }),
  'POST /admin/v2/order-items/bulk': ({ body }) =>
    (body as readonly object[]).map((_, index) => ({ jobId: `${index}`, status: 'PENDING' })),
  'PATCH /admin/v2/product/{}': (_, outgoing) => void outgoing.writeHead(204).end(),
  'GET /admin/v2/review/{}': ({ ids }) => ({ id: ids[0], isVisible: true }),
  'PATCH /admin/v2/review/{}': ({ ids }) => ({ id: ids[0], isVisible: false }),
};

function originIdOf(body: unknown): string {
  return String(Object(body).originId);
}

/** Refuses the first entry of a bulk request. */
const refusing: Route = (_, outgoing) =>
  void outgoing
    .writeHead(422)
    .end(JSON.stringify({ detail: [{ loc: ['body', 0, 'originId'], msg: 'taken', type: 'value_error' }] }));

const failing: Route = (_, outgoing) => void outgoing.writeHead(500).end('{}');

interface Case {
  readonly during: string;
  readonly argv: readonly string[];
  /** The request during which the signal arrives, and a special answer to it. */
  readonly at: string;
  readonly answer?: Route;
}

const cases: readonly Case[] = [
  { during: 'the first creation', argv: ['products', 'push', 'products.csv'], at: 'POST /admin/v2/product' },
  { during: 'a look-up', argv: ['products', 'push', 'products.csv'], at: 'GET /admin/v2/products' },
  {
    during: 'a creation that is lost',
    argv: ['products', 'push', 'products.csv'],
    at: 'POST /admin/v2/product',
    answer: (_, outgoing) => void outgoing.destroy(),
  },
  {
    during: 'a bulk request that is refused in part',
    argv: ['orders', 'push', 'items.csv'],
    at: 'POST /admin/v2/order-items/bulk',
    answer: refusing,
  },
  {
    during: 'a request whose jobs are waited for',
    argv: ['orders', 'push', 'items.csv', '--wait', '-c', 'get-job=GET /admin/v2/job/{jobId}'],
    at: 'POST /admin/v2/order-items/bulk',
  },
  {
    during: 'the creation of a parent',
    argv: ['categories', 'push', 'categories.csv'],
    at: 'POST /admin/v2/category',
  },
  {
    during: 'an update that shows no record',
    argv: ['products', 'update', '1', '--name', 'New'],
    at: 'PATCH /admin/v2/product/{}',
  },
  {
    during: 'the first of many calls',
    argv: ['reviews', 'hide', '1', '2', '3', '-c', 'rate=1'],
    at: 'PATCH /admin/v2/review/{}',
  },
  { during: 'a failing check', argv: ['doctor'], at: 'GET /admin/v2/products', answer: failing },
  { during: 'a failing page', argv: ['products', 'list'], at: 'GET /admin/v2/products', answer: failing },
];

/** A shop with the input files of all cases. */
async function openShop(routes: Routes) {
  const shop = await standInShop(routes);
  const files = { products, items, categories };
  for (const [name, lines] of Object.entries(files))
    writeFileSync(join(shop.folder, `${name}.csv`), `${lines.join('\n')}\n`);
  return shop;
}

it.each([
  ['nobody has to continue it', { status: 'PENDING' }, '20 queued', 0, 'nothing waits for a person'],
  [
    'its failed record is pushed again',
    { status: 'FAILED' },
    '1 failed',
    6,
    'reviewctl orders push items.csv',
  ],
])('a push that had sent everything says so, and %s', async (_, last, tally, exitCode, next) => {
  const stop = new AbortController();
  const shop = await openShop({
    ...empty,
    'POST /admin/v2/order-items/bulk': ({ body }) => {
      stop.abort(new Failure('terminated', 'terminated before the end'));
      const entries = body as readonly object[];
      const states = [...entries.slice(1).map(() => ({ status: 'PENDING' })), last];
      return states.map((state, index) => ({ jobId: `${index}`, ...state }));
    },
  });
  const options = { env: shop.env, cwd: shop.folder };
  const pushed = await runInProcess('orders push items.csv', { ...options, stopping: stop.signal });
  expectEnd(pushed, 143, tally, 'interrupted, but no record is left to send\n');
  const status = await runInProcess('status', options);
  expect(status.exitCode).toBe(exitCode);
  expect(status.stdout + status.stderr).toContain(next);
});

describe('after a signal', () => {
  it.each(cases)('no request leaves: $argv.0 $argv.1, during $during', async ({ argv, at, answer }) => {
    const stop = new AbortController();
    let askedBefore: number | undefined;
    const shop = await openShop({
      ...empty,
      [at]: (asked, outgoing) => {
        stop.abort(new Failure('interrupted', 'interrupted before the end'));
        askedBefore ??= shop.asked.length;
        return (answer ?? empty[at])?.(asked, outgoing);
      },
    });
    const { exitCode, stderr } = await runInProcess(argv, {
      env: shop.env,
      cwd: shop.folder,
      stopping: stop.signal,
    });
    expect(shop.asked.slice(askedBefore)).toEqual([]);
    expect(askedBefore).toBeGreaterThan(0);
    expect([130, 11]).toContain(exitCode);
    expect(stderr).not.toContain('unexpected');
  });

  it('a push counts what it did not attempt, and the next one sends it', async () => {
    const stop = new AbortController();
    const shop = await openShop({
      ...empty,
      'POST /admin/v2/product': (asked, outgoing) => {
        stop.abort(new Failure('interrupted', 'interrupted before the end'));
        return empty['POST /admin/v2/product']?.(asked, outgoing);
      },
    });
    const argv = 'products push products.csv -o none';
    const options = { env: shop.env, cwd: shop.folder };
    const first = expectEnd(
      await runInProcess(argv, { ...options, stopping: stop.signal }),
      130,
      'warning: interrupted: 19 records not attempted\nhint: to continue',
    );
    expect(first.stderr).not.toContain('error:');
    expectEnd(await runInProcess(argv, options), 0);
  });

  it('one line says what is finished, and a second signal leaves with how to go on', async () => {
    let held: ServerResponse | undefined;
    const shop = await openShop({
      ...empty,
      'POST /admin/v2/product': (_, outgoing) => {
        held = outgoing;
        child.kill('SIGINT');
        return undefined;
      },
    });
    const argv = [programPath, 'products', 'push', 'products.csv', '-o', 'none'];
    const child = spawn(process.execPath, argv, { env: shop.env, cwd: shop.folder, stdio: 'pipe' });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
      if (stderr.includes('stops at once\n')) child.kill('SIGINT');
    });
    const [exitCode] = await once(child, 'close');
    expect({ exitCode, isHeld: held !== undefined }).toEqual({ exitCode: 130, isHeld: true });
    expect(stderr).toBe(
      'warning: interrupted: finishing 1 request; Ctrl-C again stops at once\n' +
        'error: interrupted: stopped at once without finishing 1 request\n' +
        'hint: run the same command again: it continues, and repeats nothing that may have arrived\n',
    );
  });
});
