import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { openDatabase } from '../../src/base/sqlite.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { bundled } from '../output/bundled.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { type OpenSandbox, openSandbox } from './open-sandbox.ts';
import { openReceiver } from './webhook-receiver.ts';

const newFile = () => join(temporaryFolder(), 'sandbox.db');

async function everything({ ask, sandbox }: OpenSandbox) {
  const lists = ['products', 'product-groups', 'reviews', 'rewards'].map(
    (list) => `/admin/v2/${list}?first=100`,
  );
  const jobs = sandbox.state.bulks
    .values()
    .flatMap(({ id, jobs: { length } }) =>
      Array.from({ length }, (_, index) => `/admin/v2/job/${Number(id) + index}`),
    );
  const orders = [...sandbox.state.orders.values()].map(({ id }) => `/admin/v2/order/${id}`);
  return Promise.all([...lists, ...jobs, ...orders, '/sandbox/hints'].map((path) => ask('GET', path)));
}

test('a restart restores all records, and continues with further ids', async () => {
  const receiver = await openReceiver(() => ({ status: 200, body: '{"message":"paid"}' }));
  const options = { dataFile: newFile(), webhookUrl: receiver.url };
  const first = await openSandbox({ ...options, products: 10, orders: 20, reviews: 15 });
  await first.ask('POST', '/sandbox/reviews', { count: 3 });
  await first.sandbox.webhookIdle();
  await first.ask('POST', '/admin/v2/categories/bulk', [
    { originId: 'C1', name: '의류' },
    { originId: 'C1', name: '의류' },
  ]);
  const { data } = await first.ask('GET', '/admin/v2/reviews');
  await first.ask('PATCH', `/admin/v2/review/${data[0].id}`, { isVisible: false });
  const before = await everything(first);
  await first.sandbox.close();
  const second = await openSandbox({ ...options, products: 10, orders: 20, reviews: 15 });
  expect(await everything(second)).toEqual(before);
  const { id } = await second.product('new');
  expect(Number(id)).toBeGreaterThan(first.sandbox.state.lastId);
  await second.sandbox.close();
});

test('jobs that were not due before the restart are carried out after it, under their ids', async () => {
  const options = { dataFile: newFile(), jobDelayMs: 60_000 };
  const first = await openSandbox(options);
  await first.product('P');
  const jobs = await first.items('P', 'I', 'J');
  await first.sandbox.close();
  const second = await openSandbox(options);
  await second.items('P', 'K');
  expect(await second.jobsNow(jobs)).toMatchObject([{ status: 'PENDING' }, { status: 'PENDING' }]);
  second.clock.advance(60_000);
  expect(await second.jobsNow(jobs)).toMatchObject([
    { status: 'SUCCESS', entryOriginId: 'I' },
    { status: 'SUCCESS', entryOriginId: 'J' },
  ]);
  await second.sandbox.close();
});

test('a database of something else is refused and left alone', async () => {
  const path = newFile();
  const other = await openDatabase(path, { durability: 'process' });
  other.exec('CREATE TABLE treasure (v); INSERT INTO treasure VALUES (1)');
  other.close();
  await expect(openSandbox({ dataFile: path })).rejects.toMatchObject({ kind: 'unreadable-path' });
  const again = await openDatabase(path, { durability: 'process' });
  expect(again.prepare('SELECT v FROM treasure').all()).toEqual([{ v: 1 }]);
  again.close();
});

test('two sandboxes on one file do not overwrite each other: the second to write is refused', async () => {
  const dataFile = newFile();
  const first = await openSandbox({ dataFile });
  const second = await openSandbox({ dataFile });
  await first.product('P', { name: 'first' });
  await expect(second.product('R', { name: 'second' })).rejects.toMatchObject({
    kind: 'locked',
    message: expect.stringContaining(dataFile),
  });
  await first.product('Q', { name: 'first' });
  await Promise.all([first.sandbox.close(), second.sandbox.close()]);
  const third = await openSandbox({ dataFile });
  expect([...third.sandbox.state.products.values()].map(({ name }) => name)).toEqual(['first', 'first']);
  await third.sandbox.close();
});

const server = bundled(`
  import { serveSandbox } from './src/sandbox/serve.ts';
  const { baseUrl } = await serveSandbox({ port: 0, token: 'test', dataFile: process.env.DATA_FILE });
  console.log(baseUrl);
`);

/** Starts a sandbox in a separate process. */
async function spawnSandbox(dataFile: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-'], {
    env: { ...process.env, DATA_FILE: dataFile },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(server);
  const [baseUrl] = await once(createInterface(child.stdout), 'line');
  return { child, baseUrl: String(baseUrl) };
}

test('a kill at any instant loses nothing that was answered and leaves no half of anything', async () => {
  for (const answersBeforeKill of [1, 7, 40]) {
    const dataFile = newFile();
    const { child, baseUrl } = await spawnSandbox(dataFile);
    const answered: { readonly originId: string; readonly jobId: string }[] = [];
    const headers = { authorization: 'Basic test', 'content-type': 'application/json' };
    const post = (path: string, body: unknown) =>
      fetch(`${baseUrl}/admin/v2${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    await post('/product', { originId: 'P', name: 'p' });
    const send = async (worker: number) => {
      for (let number = 0; number < 1_000; number += 1) {
        const entries = [0, 1].map((entry) => ({
          orderOriginId: `O${worker}-${number}`,
          originId: `I${worker}-${number}-${entry}`,
          productOriginId: 'P',
        }));
        const reply = await post('/order-items/bulk', entries);
        const jobs: { readonly jobId: string }[] = JSON.parse(await reply.text());
        for (const [index, { jobId }] of jobs.entries()) {
          answered.push({ originId: entries[index]?.originId ?? '', jobId });
        }
        if (answered.length >= 2 * answersBeforeKill) child.kill('SIGKILL');
      }
    };
    const exited = once(child, 'exit');
    await Promise.allSettled([send(1), send(2), send(3)]);
    await exited;
    const { jobsNow, sandbox } = await openSandbox({ dataFile, clock: systemClock });
    expect(await jobsNow(answered)).toMatchObject(
      answered.map(({ originId }) => ({ entryOriginId: originId, status: 'SUCCESS' })),
    );
    for (const { id } of sandbox.state.orders.values()) {
      expect(sandbox.state.orderItems.count('orderId', id)).toBe(2);
    }
    expect(answered.length).toBeGreaterThanOrEqual(2 * answersBeforeKill);
    await sandbox.close();
  }
});

test('the credential of a data file is the same after a restart, and that of a sandbox in memory is not', async () => {
  const dataFile = newFile();
  const tokens: string[] = [];
  for (const options of [{ dataFile }, { dataFile }, {}, {}]) {
    const sandbox = await createSandbox(options);
    tokens.push(sandbox.token);
    await sandbox.close();
  }
  const [first, again, ...inMemory] = tokens;
  expect(again).toBe(first);
  expect(new Set([first, ...inMemory]).size).toBe(3);
});
