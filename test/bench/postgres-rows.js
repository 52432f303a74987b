import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { orderItemsFile } from './inputs.js';
import { settleCommand, settled, settlementEnvironment } from './settle-rows.js';

/** A database in which each run creates its own schema. */
const database = process.env['BENCH_POSTGRES'];
const latencyMs = 20;

/** The cost of ledger and journal in PostgreSQL. */
export const postgresRows = [
  {
    name: 'push-postgres',
    title: '200,000 order items at 20 ms, with the journal in PostgreSQL, over a file',
    goal: 1.15,
    run: pushOverFile,
  },
  {
    name: 'settle-postgres',
    title: '4,000 rewards at 20 ms, 16 in flight, with the ledger in PostgreSQL, over a file',
    goal: 1.2,
    run: overFile,
  },
  {
    name: 'settle-eight',
    title: '6,000 rewards at 20 ms by eight settlers of one shop, 4 in flight each, over one settler',
    goal: 0.33,
    run: (bench) => eightOverOne(bench, 4),
  },
  {
    name: 'settle-eight-full',
    title:
      '6,000 rewards at 20 ms by eight settlers of one shop, 8 in flight each as without flags, over one settler',
    goal: 0.33,
    run: (bench) => eightOverOne(bench, 8),
  },
];

async function pushOverFile(bench) {
  if (database === undefined) return { skipped: unnamed };
  const count = bench.scaled(200_000);
  const argv = ['orders', 'push', await orderItemsFile(bench.folder, count)];
  return bench.withService(['--latency', latencyMs], (service) =>
    bench.inTurns(
      service,
      () => bench.push(service, argv, undefined, databasePlace()),
      () => bench.push(service, argv),
      count,
    ),
  );
}

const settlers = 8;

/**
 * All programs, the server and the service share the processors of one machine. With many calls in flight, two
 * processors limit the speed of eight settlers.
 */
async function eightOverOne(bench, inFlight) {
  if (database === undefined) return { skipped: unnamed };
  const count = bench.scaled(6000);
  return bench.withService(['--latency', latencyMs, '--rewards', count], (service) =>
    bench.alternate(
      () => settledByMany(bench, service, { count, inFlight, machines: settlers }),
      () => settledByMany(bench, service, { count, inFlight, machines: 1 }),
    ),
  );
}

/**
 * Settles all rewards on several machines, each with its own state folder. A machine also reports a payment whose
 * report is still under way, so there may be more reports than rewards.
 * @throws Error if a reward was not reported.
 */
async function settledByMany(bench, service, { count, inFlight, machines }) {
  const { address } = service;
  const place = databasePlace();
  const folders = Array.from({ length: machines }, () => mkdtempSync(join(bench.folder, 'state-')));
  const envs = folders.map((folder) => ({ ...settlementEnvironment(bench, address, folder), ...place }));
  await fetch(`${address}/reset`);
  await bench.reviewctl(['ledger', 'init', '-o', 'none'], envs[0]);
  await service.stats();
  const startedMs = performance.now();
  const argv = settleCommand(payerOf(address), inFlight);
  const settle = (env) => bench.reviewctl(argv, env).catch(passUnderWay);
  await Promise.all(envs.map(settle));
  const seconds = (performance.now() - startedMs) / 1000;
  const { entries } = await service.stats();
  for (const folder of folders) rmSync(folder, { recursive: true });
  if (entries < count) throw new Error(`${entries} reports of ${count} rewards arrived`);
  return { seconds };
}

async function overFile(bench) {
  if (database === undefined) return { skipped: unnamed };
  const count = bench.scaled(4000);
  return bench.withService(['--latency', latencyMs, '--rewards', count], ({ address, ...service }) =>
    bench.inTurns(
      { address, ...service },
      () => settledIn(bench, address, database),
      () => settledIn(bench, address),
      count,
    ),
  );
}

/** Ignores exit code 9: another machine is still paying a reward at the end of this run, and will finish it. */
function passUnderWay(error) {
  if (!/ ended with 9: /.test(error.message)) throw error;
}

const unnamed = 'BENCH_POSTGRES=postgres://… names a database for it';

let made = 0;

/** A new schema in the database. */
function databasePlace() {
  made += 1;
  return { REVIEWCTL_STATE: database, REVIEWCTL_SHOP: `bench_${process.pid}_${made}` };
}

/** Settles all rewards with a new ledger, in a database or in a file. */
function settledIn(bench, address, state) {
  return settled(bench, address, payerOf(address), state === undefined ? {} : databasePlace());
}

function payerOf(address) {
  return ['--payer-url', `${address}/pay`, '-c', 'payer-idempotent=1d', '-c', 'payer-replays-response=true'];
}
