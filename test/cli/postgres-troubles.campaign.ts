import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { serveHttp } from '../client/loopback.ts';
import { makePostgres, type PostgresServer } from '../store/postgres-server.ts';
import { fill, mountSmallDisk, unmount } from '../store/small-disk.ts';
import { withPostgres } from '../store/with-postgres.ts';
import { asProcesses, openLedgerShop } from './ledger-shop.ts';
import type { CommandLine } from './run-cli.ts';
import { expectEnd, programPath, typedWords } from './run-cli.ts';

let made = 0;

/** A shop whose ledger has its own schema. `standBefore` starts a proxy before the sandbox. */
async function openShop(server: PostgresServer, standBefore?: (address: string) => Promise<string>) {
  made += 1;
  const shop = asProcesses(await openLedgerShop({ token: `token-${made}` }, standBefore));
  const url = server.url(`&schema=troubles_${made}`);
  const run = (argv: CommandLine, state = url) =>
    shop.runBuilt(argv, { env: { ...shop.env, REVIEWCTL_STATE: state } });
  const settle = `rewards settle ${shop.payer} -c payer-idempotent=24h -c concurrency=1`;
  expectEnd(await run('ledger init'), 0);
  return { ...shop, url, run, settle };
}

/** Ends every session of the program at the server, as an administrator can. */
async function endSessions(server: PostgresServer): Promise<void> {
  const ours = "FROM pg_stat_activity WHERE application_name LIKE 'reviewctl%'";
  await server.ask(`SELECT pg_terminate_backend(pid) ${ours}`);
  await expect.poll(() => server.ask(`SELECT pid ${ours}`)).toEqual([]);
}

/** Starts a proxy before a service; at each write it ends every database session before the reply. */
async function endSessionsAtWrites(server: PostgresServer, address: string): Promise<string> {
  const forward = async ({ method = '', url = '', headers }: IncomingMessage, outgoing: ServerResponse) => {
    const { body = '' } = seen.at(-1) ?? {};
    const isWrite = method === 'POST';
    if (isWrite) await endSessions(server);
    const { authorization = '' } = headers;
    const sent = { method, headers: { authorization, 'content-type': 'application/json' } };
    const reply = await fetch(address + url, isWrite ? { ...sent, body } : sent);
    outgoing.writeHead(reply.status, { 'content-type': 'application/json' }).end(await reply.text());
  };
  const { url, seen } = await serveHttp((incoming, outgoing) => {
    forward(incoming, outgoing).catch(() => outgoing.destroy());
  });
  return url;
}

function promiseSessions(server: PostgresServer): void {
  test('a session that the server ended is named by what ended it', async () => {
    const shop = await openShop(server);
    // The payer waits for a writer.
    execFileSync('sh', ['-c', 'mkfifo -m 600 exit-code'], { cwd: shop.folder });
    const settling = shop.run(shop.settle);
    await expect.poll(() => shop.paid().length).toBe(1);
    await endSessions(server);
    shop.write('exit-code', '0\n');
    const { stderr } = expectEnd(
      await settling,
      5,
      'cannot be reached: the session with the server has ended: terminating connection due to administrator command',
    );
    expect(stderr).not.toContain('queryable');
  });

  test('a push whose journal is gone while records are under way ends with 11: they are unknown', async () => {
    const shop = await openShop(server, (address) => endSessionsAtWrites(server, address));
    shop.write('items.csv', 'orderOriginId,originId,productOriginId\nO-1,I-1,P-1\n');
    expectEnd(await shop.run('orders push items.csv'), 11, '1 unknown', 'cannot be reached');
  });

  test('a receiver whose idle session the server ended ends with 5 at the next look at its health', async () => {
    const shop = await openShop(server);
    chmodSync(shop.write('path-secret', 'path-secret-of-listen'), 0o600);
    const receiver = '-c port=0 -c path-secret-file=path-secret -c allow-ip=127.0.0.1';
    const line = `rewards listen ${receiver} ${shop.payer} -c payer-idempotent=24h`;
    const child = spawn(process.execPath, [programPath, ...typedWords(line)], {
      cwd: shop.folder,
      env: { ...shop.env, REVIEWCTL_STATE: shop.url },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [ready = ''] = await once(createInterface(child.stdout), 'line');
    const ended = once(child, 'close');
    await endSessions(server);
    expect((await fetch(new URL('/healthz', JSON.parse(ready).url))).status).toBe(503);
    expect((await ended)[0]).toBe(5);
  });
}

function promiseDisk(program: string): void {
  test('a server whose disk is full as a session begins ends a command with 2', async () => {
    const disk = mountSmallDisk();
    if (disk === undefined) return console.log('no disk could be mounted, so none was filled');
    const server = await makePostgres(program, [], disk);
    onTestFinished(async () => {
      await server.remove();
      unmount(disk);
    });
    const shop = await openShop(server);
    // The first session after its removal writes it again.
    for (const path of readdirSync(server.data, { recursive: true, encoding: 'utf8' })) {
      if (path.endsWith('pg_internal.init')) rmSync(join(server.data, path));
    }
    fill(disk);
    for (const argv of ['ledger status', shop.settle, 'runs list']) {
      expectEnd(
        await shop.run(argv),
        2,
        /^error: the (?:ledger|state) postgres:\S+ cannot be written: could not write init file\nhint: check that the disk of the server has free space/,
      );
    }
    expect(shop.paid()).toEqual([]);
  });
}

await withPostgres('the troubles of a database', (server, bin) => {
  promiseSessions(server);
  promiseDisk(bin);
});
