import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { orderItemsFile } from './inputs.js';

const million = 1_000_000;
const small = 100;

/** The savings of the push journal, and its cost in time, memory and bytes. */
export const journalRows = [
  {
    name: 'push-again',
    title: 'the same 1,000,000 order items again, unchanged, over the first push',
    goal: 0.35,
    run: pushAgain,
  },
  {
    name: 'journal-large',
    title: '100 order items with 10,000,000 in the journal, over none in it',
    goal: 1.3,
    run: async (bench) => pushSmall(bench, await largeJournal(bench)),
  },
  {
    name: 'journal-large-memory',
    title: 'peak memory of the same beyond that with none in it',
    goal: 20,
    unit: 'MiB',
    run: async (bench) => {
      const { runs } = await pushSmall(bench, await largeJournal(bench));
      return { values: runs.map(({ ours, limit }) => ours.peakMiB - limit.peakMiB) };
    },
  },
  {
    name: 'memory-million',
    title: 'peak memory of a push of 1,000,000 order items',
    goal: 140,
    unit: 'MiB',
    run: async (bench) => ({
      values: (await bench.repeat(() => pushed(bench))).map(({ peakMiB }) => peakMiB),
    }),
  },
  {
    name: 'memory-ten-million',
    title: 'peak memory of a push of 10,000,000 order items',
    goal: 230,
    unit: 'MiB',
    run: async (bench) => ({ values: [(await largeJournal(bench)).peakMiB] }),
  },
  {
    name: 'journal-bytes',
    title: 'bytes a record in the journal of 1,000,000',
    goal: 45,
    unit: 'bytes',
    run: async (bench) => ({ values: [(await pushed(bench)).stateBytes / bench.scaled(million)] }),
  },
];

async function pushAgain(bench) {
  const count = bench.scaled(million);
  const file = await orderItemsFile(bench.folder, count);
  return bench.withService([], async (service) => {
    let state;
    const push = () => bench.push(service, ['orders', 'push', file], state);
    const first = () => {
      state = mkdtempSync(join(bench.folder, 'state-'));
      return bench.measured(service, push, count);
    };
    const again = async () => {
      const run = await bench.measured(service, push, 0);
      if (run.stats.requests > 0)
        throw new Error(`${run.stats.requests} requests for records that are unchanged`);
      rmSync(state, { recursive: true });
      return run;
    };
    const { runs } = await bench.alternate(first, again);
    return { runs: runs.map(({ ours, limit }) => ({ ours: limit, limit: ours })) };
  });
}

/** The peak memory of a push of a million records, and the size of its state folder. */
async function pushed(bench, count = bench.scaled(million)) {
  const file = await orderItemsFile(bench.folder, count);
  const state = mkdtempSync(join(bench.folder, 'state-'));
  const run = await bench.withService([], (service) =>
    bench.measured(service, () => bench.push(service, ['orders', 'push', file], state), count),
  );
  return { ...run, state, stateBytes: bytesIn(state) };
}

let large;

/** A state folder with ten million records, created once by a push. */
function largeJournal(bench) {
  large ??= pushed(bench, bench.scaled(10 * million));
  return large;
}

/** Pushes records that are in no journal yet, the same for both runs. */
async function pushSmall(bench, { state }) {
  let first = bench.scaled(10 * million);
  return bench.withService([], (service) => {
    let file;
    const push = (folder) =>
      bench.measured(service, () => bench.push(service, ['orders', 'push', file], folder), small);
    return bench.alternate(
      async () => {
        first += small;
        file = await orderItemsFile(bench.folder, small, first);
        return push(state);
      },
      () => push(undefined),
    );
  });
}

function bytesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
