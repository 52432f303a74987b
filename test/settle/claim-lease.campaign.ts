import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { answered, recover, resolve } from '../../src/settle/rules/transitions.ts';
import type { Ledger } from '../../src/store/ledger/ledger.ts';
import type { PostgresLedgerLocation } from '../../src/store/ledger/ledger-location.ts';
import { openPostgresLedger } from '../../src/store/ledger/ledger-server.ts';
import { ownerLocks } from '../../src/store/open-store.ts';
import { serveHttp } from '../client/loopback.ts';
import { bundled } from '../output/bundled.ts';
import { by, claimIn, seeIn } from '../store/ledger-steps.ts';
import { makePostgresLedger } from '../store/postgres-place.ts';
import type { PostgresServer } from '../store/postgres-server.ts';
import { withPostgres } from '../store/with-postgres.ts';
import { plainPayer } from './entries.ts';

/*
 * The time between the last read of a shared ledger and the first byte to the payer. A process is stopped there while
 * another machine gives up its claim and a person resolves it.
 */

const claimLeaseMs = 1_000;
const payerTimeoutMs = 2_000;

/** Pays rewards sequentially or in parallel, and sends the times of each call in nanoseconds. */
const settler = bundled(`
  import { systemClock } from './src/base/clock.ts';
  import { openHttpPayer } from './src/payer/http-payer.ts';
  import { payReward } from './src/settle/flow/pay-reward.ts';
  import { ownerLocks } from './src/store/open-store.ts';
  import { openPostgresLedger } from './src/store/ledger/ledger-server.ts';
  import { openPolicy } from './test/settle/open-policy.ts';
  const { location, url, rewardIds, run, claimLeaseMs, timeoutMs, width, stopAt } = JSON.parse(process.env.SETTLER);
  const owners = ownerLocks(location);
  const lock = await owners.acquire(run, 'rewards settle');
  const opened = await openPostgresLedger(location, { clock: systemClock });
  const promises = { idempotentForMs: null, replaysResponse: false, lookupDelayMs: 0 };
  const http = await openHttpPayer({
    url: new URL(url), env: {}, headers: {}, paidStatuses: new Set(), timeoutMs, promises,
    lookUp: undefined, callRecordsFolder: '/nowhere', secrets: [],
  });
  const now = () => String(process.hrtime.bigint());
  const instants = {};
  let isStopped = false;
  const stopOnce = (at) => {
    if (stopAt !== at || isStopped) return;
    isStopped = true;
    process.kill(process.pid, 'SIGSTOP');
  };
  const ledger = {
    ...opened,
    find: async (rewardId) => {
      const askedAt = now();
      const entry = await opened.find(rewardId);
      instants[rewardId] = { askedAt, seenAt: now() };
      if (entry?.payment === 'paying') stopOnce('look');
      return entry;
    },
  };
  const payer = {
    ...http,
    pay: (payment, mayLeave) => http.pay(payment, () => {
      const is = mayLeave();
      instants[payment.rewardId].checkedAt = now();
      stopOnce('check');
      return is;
    }),
  };
  const settlement = {
    ledger, payer, policy: openPolicy, run, beganMs: systemClock.now(), claimLeaseMs, clock: systemClock,
    isOwnerAlive: (owner) => owners.isHeld(owner), stopping: new AbortController().signal,
  };
  const waiting = [...rewardIds];
  const one = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) await payReward(settlement, { rewardId: id }, async () => undefined);
  };
  // A session that was ended meanwhile fails under it, as a machine that lost its server sees it.
  await Promise.all(Array.from({ length: width }, one)).catch(() => undefined);
  await new Promise((sent) => process.send(instants, sent));
  process.exit();
`);

interface Settling {
  readonly location: PostgresLedgerLocation;
  readonly url: string;
  readonly rewardIds: readonly string[];
  readonly run: string;
  readonly width?: number;
  /** The point at which it stops itself, once: after its last read of the ledger, or after its last check. */
  readonly stopAt?: 'look' | 'check';
}

interface Instants {
  readonly askedAt: string;
  readonly seenAt: string;
  readonly checkedAt: string;
}

function startSettler(settling: Settling) {
  const leases = { claimLeaseMs, timeoutMs: payerTimeoutMs };
  const env = { ...process.env, SETTLER: JSON.stringify({ width: 1, ...leases, ...settling }) };
  const child = spawn(process.execPath, ['--input-type=module', '-'], {
    env,
    stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
  });
  // Too long for an argument.
  child.stdin?.end(settler);
  onTestFinished(() => void child.kill('SIGKILL'));
  const told = once(child, 'message').then(([instants]): Readonly<Record<string, Instants>> => instants);
  return { child, told };
}

interface Paid {
  readonly rewardId: string;
  readonly key: string;
  readonly at: bigint;
}

/** A payer without idempotency; it records the time of each payment. */
async function servePayer() {
  const payments: Paid[] = [];
  const { url, seen } = await serveHttp((_, outgoing) => {
    const at = process.hrtime.bigint();
    const request = seen.at(-1);
    const key = String(request?.headers['idempotency-key']);
    payments.push({ rewardId: JSON.parse(request?.body ?? '{}').id, key, at });
    outgoing.end('{"outcome":"paid"}');
  });
  return { url, payments };
}

async function openUntilEnd(location: PostgresLedgerLocation): Promise<Ledger> {
  const ledger = await openPostgresLedger(location, { clock: systemClock });
  onTestFinished(() => ledger.close());
  return ledger;
}

async function seeAll(ledger: Ledger, rewardIds: readonly string[]): Promise<void> {
  const see = (id: string) =>
    seeIn(ledger, id, { atMs: Date.now(), document: JSON.stringify({ id, amount: 500 }) });
  await Promise.all(rewardIds.map(see));
}

function promiseWindow(server: PostgresServer): void {
  test.each([1, 16])(
    'a payment reaches its payer shortly after the last look at the ledger, %d at once',
    async (width) => {
      const location = await makePostgresLedger(server);
      const rewardIds = Array.from({ length: 400 }, (_, index) => `R${index}`);
      await seeAll(await openUntilEnd(location), rewardIds);
      const { url, payments } = await servePayer();
      const { told } = startSettler({ location, url, rewardIds, run: 'settler', width });
      const instants = await told;
      expect(new Set(payments.map(({ rewardId }) => rewardId)).size).toBe(rewardIds.length);
      expect(payments).toHaveLength(rewardIds.length);
      const since = (what: keyof Instants) =>
        payments.map(({ rewardId, at }) => Number(at - BigInt(instants[rewardId]?.[what] ?? 0)) / 1e6);
      console.log(
        `${width} at once, ms until the payer has the payment: from the question ${spread(since('askedAt'))}; ` +
          `from its answer ${spread(since('seenAt'))}; from the last check ${spread(since('checkedAt'))}`,
      );
      expect(Math.max(...since('checkedAt'))).toBeLessThan(15_000);
    },
  );
}

function spread(values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number) => (sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(2);
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}`;
}

function promiseSuspended(server: PostgresServer): void {
  test('a process that is stopped after its last look sends nothing once its claim is too old', async () => {
    const { payments } = await payBesideStopped(server, 'look');
    expect(payments.map(({ key }) => key)).toEqual([expect.stringMatching(/^by-another-machine/)]);
  });

  test('no lease can prevent that a process, stopped between its last check and the first byte, pays again what a person had resolved', async () => {
    const { payments } = await payBesideStopped(server, 'check');
    expect(payments).toHaveLength(2);
  });
}

/**
 * One machine stops before its call. Another detects that it is gone, a person resolves the reward as not paid, and it
 * is paid again. Then the first machine continues.
 */
async function payBesideStopped(server: PostgresServer, stopAt: 'look' | 'check') {
  const location = await makePostgresLedger(server);
  const rewardId = 'R1';
  const before = await openPostgresLedger(location, { clock: systemClock });
  await seeAll(before, [rewardId]);
  await before.close();
  const { url, payments } = await servePayer();
  const { child, told } = startSettler({ location, url, rewardIds: [rewardId], run: 'sleeper', stopAt });
  await expect.poll(() => isStopped(child), { timeout: 30_000 }).toBe(true);
  // As the server does once a machine is gone.
  await server.ask(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'reviewctl%'",
  );
  await expect.poll(() => ownerLocks(location).isHeld('sleeper')).toBe(false);
  await payElsewhere(await openUntilEnd(location), rewardId, url);
  child.kill('SIGCONT');
  await told;
  return { payments };
}

function isStopped({ pid }: ChildProcess): boolean {
  return / T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

async function payElsewhere(ledger: Ledger, rewardId: string, url: string): Promise<void> {
  const known = { isOwnerAlive: false, capabilities: plainPayer };
  await ledger.change(rewardId, recover(1, { kind: 'none' }, known), { by });
  const finding = { kind: 'not-paid', reason: 'the books do not show it' } as const;
  // A resolution is accepted once the call can no longer be under way.
  const resolved = async () => (await ledger.change(rewardId, resolve(1, finding, plainPayer), { by })).kind;
  await expect.poll(resolved, { timeout: payerTimeoutMs + claimLeaseMs + 1_000 }).toBe('changed');
  expect((await claimIn(ledger, rewardId, { owner: 'another' })).kind).toBe('changed');
  const headers = { 'idempotency-key': 'by-another-machine' };
  await fetch(url, { method: 'POST', headers, body: JSON.stringify({ id: rewardId }) });
  await ledger.change(rewardId, answered(2, { kind: 'paid', ref: 'T' }, plainPayer), { by });
}

await withPostgres('the lease of claims', (server) => {
  promiseWindow(server);
  promiseSuspended(server);
});
