import { settled } from './settle-rows.js';

/** A database in which each run makes a schema of its own. */
const database = process.env['BENCH_POSTGRES'];
const latencyMs = 20;

/** What it costs that the ledger is in PostgreSQL. */
export const postgresRows = [
  {
    name: 'settle-postgres',
    title: '4,000 rewards at 20 ms, 16 in flight, with the ledger in PostgreSQL, over a file',
    goal: 1.2,
    run: overFile,
  },
];

async function overFile(bench) {
  if (database === undefined) return { skipped: 'BENCH_POSTGRES=postgres://… names a database for it' };
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

let made = 0;

/** The settlement of everything that waits, by a new ledger in a database, else in a file. */
function settledIn(bench, address, state) {
  made += 1;
  const place = { REVIEWCTL_STATE_URL: state, REVIEWCTL_SHOP: `bench_${process.pid}_${made}` };
  return settled(
    bench,
    address,
    ['--payer-url', `${address}/pay`, ...payer],
    state === undefined ? {} : place,
  );
}

const payer = ['--payer-idempotent', '1d', '--payer-replays-response'];
