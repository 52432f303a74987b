import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const bareClient = fileURLToPath(new URL('bare-client.js', import.meta.url));
const inFlight = 16;

/** The cost of paying at most once, over paying and reporting without a ledger. */
export const settleRows = [
  {
    name: 'settle-0',
    title:
      '4,000 rewards at 0 ms, 16 in flight, by a payer that repeats its answers, over a client without a ledger',
    goal: 2.5,
    run: (bench) => overBare(bench, { latencyMs: 0, payer: repeatingPayer }),
  },
  {
    name: 'settle-connections',
    title: 'the same by a payer of which nothing is known, so that each payment has a connection of its own',
    goal: 2.5,
    run: (bench) => overBare(bench, { latencyMs: 0, payer: [] }),
  },
  {
    name: 'settle-latency',
    title: '4,000 rewards at 20 ms, 16 in flight, over a client without a ledger',
    goal: 1.1,
    run: (bench) => overBare(bench, { latencyMs: 20, payer: repeatingPayer }),
  },
];

const repeatingPayer = ['-c', 'payer-idempotent=1d', '-c', 'payer-replays-response=true'];

function overBare(bench, { latencyMs, payer }) {
  const count = bench.scaled(4000);
  return bench.withService(['--latency', latencyMs, '--rewards', count], ({ address, ...service }) =>
    bench.inTurns(
      { address, ...service },
      () => settled(bench, address, ['--payer-url', `${address}/pay`, ...payer]),
      async () => {
        await fetch(`${address}/reset`);
        return bench.node([bareClient, address, 'settle', count, inFlight]);
      },
      count,
    ),
  );
}

/** Settles all rewards with a new ledger, created beforehand. */
export async function settled(bench, address, payer, place = {}) {
  const folder = mkdtempSync(join(bench.folder, 'state-'));
  const env = { ...settlementEnvironment(bench, address, folder), ...place };
  await fetch(`${address}/reset`);
  await bench.reviewctl(['ledger', 'init', '-o', 'none'], env);
  const run = await bench.reviewctl(settleCommand(payer), env);
  rmSync(folder, { recursive: true });
  return run;
}

export function settleCommand(payer, concurrency = inFlight) {
  const quiet = ['-o', 'none', '-c', 'progress=none'];
  return ['rewards', 'settle', ...payer, '-c', `concurrency=${concurrency}`, ...quiet];
}

export function settlementEnvironment(bench, address, folder) {
  return {
    REVIEWCTL_BASE_URL: address,
    REVIEWCTL_TOKEN: 'bench',
    REVIEWCTL_STATE_DIR: folder,
    REVIEWCTL_LEDGER_ANYWHERE: 'true',
    REVIEWCTL_CONFIG_DIR: join(bench.folder, 'config'),
  };
}
