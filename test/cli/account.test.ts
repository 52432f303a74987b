import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { accountOf } from '../../src/config/account.ts';
import { accountFile, checkAccount } from '../../src/store/state/account-note.ts';
import { environmentAt, expectEnd, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const tokenOf = (keyId: string, secret: string) => Buffer.from(`${keyId}:${secret}`).toString('base64');

let server: Server;
const seen: string[] = [];
let baseUrl = '';

/** A service of many shops. Accepts every request, and records the credential of each write. */
beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.headers.authorization === `Basic ${tokenOf('mistyped', 'x')}`) {
        response.writeHead(401).end();
        return;
      }
      if (request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('{"data":[],"totalCount":0,"pageInfo":{"hasNextPage":false}}');
        return;
      }
      const entries: readonly { originId: string }[] = JSON.parse(Buffer.concat(chunks).toString());
      seen.push(request.headers.authorization ?? '');
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(
          entries.map(({ originId }) => ({ jobId: `job-${originId}`, entryOriginId: originId })),
        ),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

test('a second shop at the same service is not taken for the first', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'orders.csv');
  writeFileSync(file, 'orderOriginId,originId,productOriginId\nO-1,I-1,P-1\n');
  const run = (token: string, ...argv: readonly string[]) =>
    runInProcess(argv, {
      env: environmentAt(folder, { baseUrl, token }),
    });
  const push = (token: string, ...flags: readonly string[]) => run(token, `orders push ${file}`, ...flags);

  expectEnd(await push(tokenOf('mistyped', 'x')), 4);
  expect(JSON.parse((await push(tokenOf('shop-a', 'one'))).stdout).outcome).toBe('queued');
  expect(JSON.parse((await push(tokenOf('shop-a', 'renewed'))).stdout).outcome).toBe('skipped');

  const other = await push(tokenOf('shop-b', 'two'));
  expect({ exitCode: other.exitCode, stdout: other.stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(other.stderr).toContain('the credential of another account');
  expect(other.stderr).toContain('reviewctl login --same-shop;');
  expect(seen).toHaveLength(1);

  const plan = join(folder, 'plan');
  await push(tokenOf('shop-a', 'one'), `--plan-out ${plan}`);
  expectEnd(
    await run(tokenOf('mistyped', 'x'), 'login --same-shop'),
    4,
    'reviewctl login --profile default --same-shop --base-url',
  );
  expectEnd(await push(tokenOf('mistyped', 'x')), 2);
  expectEnd(await run(tokenOf('renamed', 'two'), 'login --same-shop'), 0);
  expect(existsSync(join(folder, 'config', 'config.json'))).toBe(false);
  expect(JSON.parse((await push(tokenOf('renamed', 'two'))).stdout).outcome).toBe('skipped');
  expectEnd(await push(tokenOf('shop-a', 'one')), 2);
  expectEnd(
    await run(tokenOf('renamed', 'two'), `orders push --plan ${plan}`),
    7,
    'send it with that credential, or make a new plan',
  );
});

test('a folder whose account file is empty, as a kill once left it, is pushed from again and learns its account anew', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'orders.csv');
  writeFileSync(file, 'orderOriginId,originId,productOriginId\nO-1,I-9,P-1\n');
  const push = (token: string) =>
    runInProcess(`orders push ${file}`, {
      env: environmentAt(folder, { baseUrl, token }),
    });
  const host = new URL(baseUrl).host.replace(':', '_');
  const account = join(folder, 'state', 'default', host, 'account');
  await push(tokenOf('shop-a', 'one'));
  writeFileSync(account, '');

  expect(JSON.parse((await push(tokenOf('shop-a', 'one'))).stdout).outcome).toBe('skipped');
  writeFileSync(file, 'orderOriginId,originId,productOriginId\nO-1,I-10,P-1\n');
  expect(JSON.parse((await push(tokenOf('shop-a', 'one'))).stdout).outcome).toBe('queued');
  expect(readFileSync(account, 'utf8').trim()).toBe(accountOf(tokenOf('shop-a', 'one')));
  expectEnd(await push(tokenOf('shop-b', 'two')), 2);
});

test('the way out of a refused account never loses the journal unsaid', async () => {
  const note = accountFile(temporaryFolder());
  await note.keep('shop-a');
  const { hint } = await thrownBy(() => checkAccount(note, 'shop-b'));
  expect(hint).not.toContain('REVIEWCTL_STATE_DIR');
  expect(hint).toMatch(/login --same-shop.*would send every record again/);
});

async function thrownBy(work: () => Promise<void>): Promise<Failure> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Failure) return error;
  }
  throw new Error('nothing was refused');
}

test('an account is known by its key id, and never told in the clear', () => {
  expect(accountOf(tokenOf('shop', 'one'))).toBe(accountOf(tokenOf('shop', 'two')));
  expect(accountOf(tokenOf('shop', 'one'))).not.toBe(accountOf(tokenOf('pohs', 'one')));
  expect(accountOf('opaque-token')).not.toBe(accountOf('opaque-nekot'));
  expect(accountOf(tokenOf('canary-id', 'canary-secret'))).not.toContain('canary');
});
