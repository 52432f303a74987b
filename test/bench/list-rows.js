import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService } from './start-service.js';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** The cost of reading lists, over the minimum for the same pages, over each other, and over alternatives in use. */
export const listRows = [
  {
    name: 'list-ndjson',
    title: '100,000 reviews as NDJSON at 0 ms, over draining their pages with bare undici',
    goal: 1.8,
    run: (bench) =>
      overOther(bench, 100_000, ['-o', 'ndjson'], (address) => bench.node([here('drain-list.js'), address])),
  },
  {
    name: 'list-table',
    title: 'a table of 10,000 reviews, over the same as NDJSON',
    goal: 1.5,
    run: (bench) =>
      overOther(bench, 10_000, ['-o', 'table'], (address) => list(bench, address, ['-o', 'ndjson'])),
  },
  {
    name: 'list-stats',
    title: 'statistics of 100,000 reviews, over the list of them to nowhere',
    goal: 1.2,
    run: (bench) =>
      overOther(bench, 100_000, ['-o', 'none'], (address) => list(bench, address, ['-o', 'none']), 'stats'),
  },
  {
    name: 'list-parallel',
    title: '20,000 reviews at 50 ms in 8 windows of time, over one page after the other',
    goal: 0.2,
    run: (bench) =>
      withReviews({ count: bench.scaled(20_000), latencyMs: 50 }, ({ address }) =>
        bench.alternate(
          () => list(bench, address, ['-o', 'ndjson', '--parallel', '8']),
          () => list(bench, address, ['-o', 'ndjson']),
        ),
      ),
  },
  {
    name: 'list-requests',
    title: '100,000 reviews as NDJSON at 0 ms, over Python with requests',
    goal: 0.6,
    run: (bench) =>
      ifInstalled(['python3', '-c', 'import requests'], () =>
        overOther(bench, 100_000, ['-o', 'ndjson'], (address) =>
          bench.program('python3', [here('requests-client.py'), address]),
        ),
      ),
  },
];

/** Runs `run` if a command that checks the installation succeeds; otherwise the row is skipped. */
export function ifInstalled([command, ...args], run) {
  const { status } = spawnSync(command, args, { stdio: 'ignore' });
  return status === 0 ? run() : { skipped: `here is none: ${[command, ...args].join(' ')}` };
}

/** Runs `work` with a service of `count` reviews, and always stops the service. */
export async function withReviews({ count, latencyMs = 0 }, work) {
  const options = ['--reviews', count, '--latency', latencyMs];
  const service = await startService([process.execPath, here('list-service.js')], options);
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}

/** Alternates a command that reads all reviews with another program that does. */
function overOther(bench, unscaled, argv, other, verb = 'list') {
  const count = bench.scaled(unscaled);
  return withReviews({ count }, async (service) => {
    // The service prepares its pages at the first read.
    await list(bench, service.address, ['-o', 'none']);
    return bench.inTurns(
      service,
      () => list(bench, service.address, argv, verb),
      () => other(service.address),
      count,
    );
  });
}

function list(bench, address, argv, verb = 'list') {
  return reviews(bench, address, [verb, ...argv]);
}

/** A reviews command against this service. */
export function reviews(bench, address, argv) {
  return bench.reviewctl(['reviews', ...argv], {
    REVIEWCTL_BASE_URL: address,
    REVIEWCTL_TOKEN: 'bench',
    REVIEWCTL_STATE_DIR: join(bench.folder, 'list-state'),
    REVIEWCTL_CONFIG_DIR: join(bench.folder, 'config'),
  });
}
