import { appendFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { seededRandom } from '../../src/base/random.ts';
import type { Cap } from '../../src/store/ledger/ledger.ts';
import type { PostgresLedgerLocation } from '../../src/store/ledger/ledger-location.ts';
import { anyServer, openPostgresLedger } from '../../src/store/ledger/ledger-server.ts';
import { ownerLocks } from '../../src/store/open-store.ts';
import { addFigures } from '../campaign/figures.ts';
import { startCuttingProxy } from './cutting-proxy.ts';
import { uncapped } from './ledger-steps.ts';
import { wrongIn } from './ledger-suite.ts';
import { stillClock } from './open-ledger-place.ts';
import { makePostgresLedger, openPostgresUntilEnd } from './postgres-place.ts';
import { makePostgres, type PostgresServer } from './postgres-server.ts';
import { settleOnce } from './settle-course.ts';
import { makeCallsFile, type SettlerProcess, startSettlerProcess } from './settler-process.ts';
import { withPostgres } from './with-postgres.ts';

/** The amount of each reward, as in `observation`. */
const amount = 5_000_000n;

const idsOf = (count: number) => Array.from({ length: count }, (_, index) => `R${index}`);
const capOf = (count: number): readonly Cap[] => [
  { scope: 'day', amount: amount * BigInt(count), count: null },
];

/** Settles like one process. Returns true if its sessions were lost; any other error is thrown. */
async function losesSessions(...settling: Parameters<typeof settleOnce>): Promise<boolean> {
  const failure = await settleOnce(...settling);
  if (failure !== undefined) expect(failure.kind).toBe('unreachable-state');
  return failure !== undefined;
}

interface Judged {
  readonly calls: readonly string[];
  readonly kills: number;
  readonly cap: number;
}

/** Checks every promise of the ledger after any fault. */
async function judge(
  what: string,
  location: PostgresLedgerLocation,
  { calls, kills, cap }: Judged,
): Promise<void> {
  const ledger = await openPostgresUntilEnd(location);
  const doubles = calls.length - new Set(calls).size;
  const [budget] = await ledger.budgets('day');
  const used = (budget?.reservedAmount ?? 0n) + (budget?.spentAmount ?? 0n);
  const unknown = (await ledger.sums()).find(({ payment }) => payment === 'unknown')?.count ?? 0;
  console.log(
    `${what}: ${kills} kills, ${calls.length} payments, ${doubles} doubles, ${unknown} unknown, ` +
      `cap ${used / amount} of ${cap}`,
  );
  addFigures('postgres', { kills, violations: doubles });
  expect(await wrongIn(ledger)).toEqual([]);
  expect(doubles).toBe(0);
  expect(used).toBe(amount * BigInt(cap));
  expect(calls.length + unknown).toBeGreaterThanOrEqual(cap);
}

function promiseSessions(server: PostgresServer): void {
  test('sessions that are cut at any message, sent or answered, lose nothing and pay nothing twice', async () => {
    let kills = 0;
    const calls: string[] = [];
    for (const how of ['before', 'after'] as const) {
      for (let at = 1; ; at += 1) {
        const location = await makePostgresLedger(server);
        const proxy = await startCuttingProxy(server.folder, { at, how });
        const cut = { ...location, address: { ...location.address, host: proxy.folder } };
        const course = { rewardIds: idsOf(2), caps: capOf(2) };
        const paid: string[] = [];
        const pay = (rewardId: string) => void paid.push(rewardId);
        await losesSessions(cut, { ...course, owner: 'cut', pay });
        const isCut = proxy.isCut();
        if (isCut) kills += 1;
        await expect.poll(() => ownerLocks(location).isHeld('cut')).toBe(false);
        expect(await settleOnce(location, { ...course, owner: 'next', pay }), `${how} ${at}`).toBeUndefined();
        const ledger = await openPostgresLedger(location, { clock: stillClock, acceptSession: anyServer });
        expect(await wrongIn(ledger), `${how} ${at}`).toEqual([]);
        expect(new Set(paid).size, `${how} ${at}`).toBe(paid.length);
        await ledger.close();
        calls.push(...paid);
        if (!isCut) break;
      }
    }
    console.log(`sessions cut at every message: ${kills} kills, ${calls.length} payments, 0 doubles`);
    addFigures('postgres', { kills, violations: 0 });
    expect(kills).toBeGreaterThan(40);
  }, 240_000);

  test('sessions that the server ends at random while eight settle pay nothing twice', async () => {
    const location = await makePostgresLedger(server);
    const calls: string[] = [];
    const course = {
      rewardIds: idsOf(120),
      caps: capOf(100),
      pay: (rewardId: string) => void calls.push(rewardId),
    };
    const random = seededRandom(11);
    let kills = 0;
    let left = 8;
    const settlers = Array.from({ length: left }, async (_, index) => {
      let life = 0;
      while (await losesSessions(location, { ...course, owner: `owner-${index}-${life}` })) life += 1;
      left -= 1;
    });
    while (left > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      const pids = await server.ask(
        "SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'reviewctl%' ORDER BY pid",
      );
      const pid = pids[Math.floor(random() * pids.length)];
      if (pid === undefined || kills >= 60) continue;
      await server.ask(`SELECT pg_terminate_backend(${Number(pid)})`);
      kills += 1;
    }
    await Promise.all(settlers);
    expect(await settleOnce(location, { ...course, owner: 'last' })).toBeUndefined();
    await judge('sessions ended among eight settlers', location, { calls, kills, cap: 100 });
  }, 120_000);
}

function promiseKills(program: string): void {
  test('eight settlers, each a process, killed with -9 again and again while their server crashes again and again, too, pay nothing twice', async () => {
    const server = await makePostgres(program);
    onTestFinished(() => server.remove());
    const location = await makePostgresLedger(server);
    const calls = makeCallsFile();
    const course = { rewardIds: idsOf(160), cap: amount * 140n, calls };
    const random = seededRandom(5);
    const living = new Set<SettlerProcess>();
    const kinds = new Set<string>();
    const keepUp = async (index: number) => {
      for (let life = 0; ; life += 1) {
        const settler = startSettlerProcess(location, { ...course, owner: `owner-${index}-${life}` });
        living.add(settler);
        const end = await settler.ended;
        living.delete(settler);
        if (end === undefined) return;
        if (end !== null) kinds.add(end.kind);
      }
    };
    const settling = Promise.all(Array.from({ length: 8 }, (_, index) => keepUp(index)));
    let kills = 0;
    for (const wanted of [1, 15, 30, 45, 60, 75, 90, 100]) {
      await expect.poll(() => calls.called().length, { timeout: 120_000 }).toBeGreaterThanOrEqual(wanted);
      const victims = [...living];
      victims[Math.floor(random() * victims.length)]?.child.kill('SIGKILL');
      kills += 1;
      if (wanted % 30 === 0) {
        await server.stop('immediate');
        await server.start();
      }
    }
    await settling;
    expect([...kinds]).toEqual(['unreachable-state']);
    await settleOnce(location, {
      rewardIds: course.rewardIds,
      caps: capOf(140),
      owner: 'last',
      pay: (id) => appendFileSync(calls.path, `${id}\n`),
    });
    await judge('eight processes killed with -9, a server that crashed three times', location, {
      calls: calls.called(),
      kills,
      cap: 140,
    });
  }, 400_000);
}

function promiseSuspended(server: PostgresServer): void {
  test('a process that is suspended anywhere holds up nobody for longer than the server allows, and pays nothing twice', async () => {
    const location = await makePostgresLedger(server);
    const calls = makeCallsFile();
    const { called } = calls;
    const rewardIds = idsOf(90);
    const { child, ...holder } = startSettlerProcess(location, {
      owner: 'holder',
      rewardIds,
      calls,
      cap: null,
    });
    let isEnded = false;
    const ended = holder.ended.then(() => {
      isEnded = true;
    });
    const pay = (rewardId: string) => appendFileSync(calls.path, `${rewardId}\n`);
    let stops = 0;
    for (const wanted of [1, 20, 40]) {
      await expect.poll(() => isEnded || called().length >= wanted, { timeout: 20_000 }).toBe(true);
      if (isEnded) break;
      child.kill('SIGSTOP');
      stops += 1;
      const others = {
        rewardIds: rewardIds.slice(0, wanted * 2),
        caps: uncapped('day'),
        pay,
      };
      expect(await settleOnce(location, { ...others, owner: `other-${wanted}` })).toBeUndefined();
      child.kill('SIGCONT');
    }
    await ended;
    const last = { rewardIds, caps: uncapped('day'), pay, owner: 'last' };
    expect(await settleOnce(location, last)).toBeUndefined();
    await judge('a holder stopped by SIGSTOP', location, { calls: called(), kills: 0, cap: 90 });
    addFigures('postgres', { suspensions: stops });
  }, 120_000);
}

await withPostgres('the faults of ledgers', (server, bin) => {
  promiseSessions(server);
  promiseKills(bin);
  promiseSuspended(server);
});
