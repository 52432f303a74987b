import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fencedBlocks } from '../markdown.ts';
import type { PostgresServer } from '../store/postgres-server.ts';
import { withPostgres } from '../store/with-postgres.ts';
import { asProcesses, openLedgerShop } from './ledger-shop.ts';
import { expectEnd, runShell } from './run-cli.ts';

let made = 0;

/** A shop whose ledger has its own schema, and the environment of each of its machines. */
async function openShop(server: PostgresServer) {
  made += 1;
  const shop = asProcesses(await openLedgerShop({ reviews: 40, token: `token-${made}` }));
  const machine = (name: string) => ({
    ...shop.env,
    REVIEWCTL_STATE: server.url(`&schema=cli_${made}`),
    REVIEWCTL_STATE_DIR: join(shop.folder, name),
    REVIEWCTL_PAYER_IDEMPOTENT: '24h',
  });
  shop.write('exit-code', '0');
  const settle = (name: string, ...more: readonly string[]) =>
    shop.runBuilt([`rewards settle ${shop.payer}`, ...more], { env: machine(name) });
  return { ...shop, machine, settle };
}

function promisePostgres(server: PostgresServer): void {
  test('three machines that settle one shop at once pay each reward once, and the cap is hit exactly', async () => {
    const shop = await openShop(server);
    expectEnd(await shop.runBuilt('ledger init', { env: shop.machine('one') }), 0);
    const cap = '-c max-amount-per-day=5000';
    const capped = await Promise.all(['one', 'two', 'three'].map((name) => shop.settle(name, cap)));
    expect(capped.map(({ exitCode }) => exitCode)).not.toContain(1);
    const { stdout } = await shop.runBuilt('ledger status', { env: shop.machine('two') });
    const { today } = JSON.parse(stdout);
    expect(today.reserved.amount).toBe(0);
    // No queued reward is below 500.
    expect([4_500, 5_000]).toContain(today.spent.amount);
    // Each run ends with 9 if another one is still paying a reward; the same command then continues.
    const ends = await Promise.all(['one', 'two', 'three'].map((name) => shop.settle(name)));
    expect(ends.filter(({ exitCode }) => exitCode !== 0 && exitCode !== 9)).toEqual([]);
    expectEnd(await shop.settle('two'), 0);
    expect(shop.paid().toSorted()).toEqual((await shop.memberRewards()).toSorted());
    expectEnd(await shop.runBuilt('ledger verify', { env: shop.machine('three') }), 0, 'is intact');
  });

  test('the commands of the page do what it says, on the first machine and on another one', async () => {
    const shop = await openShop(server);
    const page = readFileSync(join(import.meta.dirname, '../../docs/postgresql.md'), 'utf8');
    const [setup = ''] = fencedBlocks(page, 'sh');
    const lines = setup.replace(/postgres:\S+/, `'${server.url(`&schema=cli_${made}`)}'`);
    const { REVIEWCTL_STATE: _url, ...env } = shop.machine('one');
    const payer = { REVIEWCTL_PAYER_COMMAND: join(shop.folder, 'pay.sh') };
    const ran = await runShell(`set -e\nprintf %s "$REVIEWCTL_TOKEN" | reviewctl login\n${lines}`, {
      env: { ...env, ...payer },
      cwd: shop.folder,
    });
    expect(ran).toEqual({ exitCode: 0, stdout: expect.anything(), stderr: expect.anything() });
    expect(shop.paid().toSorted()).toEqual((await shop.memberRewards()).toSorted());
    expectEnd(await shop.settle('two'), 0);
    expect(new Set(shop.paid()).size).toBe(shop.paid().length);
  });
}

function promiseRefusals(server: PostgresServer): void {
  test('a payer that honours no keys is refused where machines share a ledger', async () => {
    const shop = await openShop(server);
    const { REVIEWCTL_PAYER_IDEMPOTENT: _period, ...env } = shop.machine('one');
    expectEnd(await shop.runBuilt('ledger init', { env }), 0);
    expectEnd(
      await shop.runBuilt(`rewards settle ${shop.payer}`, { env }),
      2,
      'machines that share a ledger need a payer that pays a key at most once',
    );
    expect(shop.paid()).toEqual([]);
  });

  test('both places at once, a password in the address and a project file are refused', async () => {
    const shop = await openShop(server);
    const env = shop.machine('one');
    expectEnd(
      await shop.runBuilt('ledger status -c ledger=x.db', { env }),
      2,
      'the settings ledger (x.db) and state both set the location of the ledger',
    );
    const state = 'postgres://ann:hush@db.example/l';
    const open = expectEnd(
      await shop.runBuilt(`ledger status -c state=${state}`, { env }),
      2,
      'the setting state contains a password',
    );
    expect(open.stderr).not.toContain('hush');
    shop.write('reviewctl.json', JSON.stringify({ state: 'postgres://db.example/l' }));
    expectEnd(await shop.runBuilt('ledger status', { env }), 2, "must not set 'state'");
  });

  test('a password file is used without a word about it', async () => {
    const shop = await openShop(server);
    await server.ask("CREATE ROLE filed LOGIN SUPERUSER PASSWORD 'hush'");
    writeFileSync(join(server.data, 'pg_hba.conf'), 'local all filed scram-sha-256\nlocal all all trust\n');
    await server.ask('SELECT pg_reload_conf()');
    const PGPASSFILE = shop.write('pgpass', '*:*:*:filed:hush\n');
    chmodSync(PGPASSFILE, 0o600);
    const { REVIEWCTL_STATE, ...env } = shop.machine('one');
    const state = REVIEWCTL_STATE.replace(/user=\w+/, 'user=filed');
    const made = await shop.runBuilt('ledger init', { env: { ...env, PGPASSFILE, REVIEWCTL_STATE: state } });
    expect(expectEnd(made, 0).stderr).not.toContain('node:');
  });

  test('a server that is away ends the command with exit 5, and nothing is paid', async () => {
    const shop = await openShop(server);
    const away = { ...shop.machine('one'), REVIEWCTL_STATE: 'postgres:///l?host=/nowhere' };
    expectEnd(
      await shop.runBuilt('ledger status', { env: away }),
      5,
      /^error: the ledger postgres:\/\/\/l\S* cannot be reached: .*\nhint: check that the server runs/,
    );
    expect(shop.paid()).toEqual([]);
  });
}

await withPostgres('the commands of the ledger', (server) => {
  promisePostgres(server);
  promiseRefusals(server);
});
