import { measureLargeSandbox } from './large-sandbox.js';

/** What the program costs before it does anything, and what a sandbox of a large shop takes. */
export const programRows = [
  startRow('start-version', ['--version']),
  startRow('start-help', ['--help']),
  startRow('start-push-help', ['orders', 'push', '--help']),
  {
    name: 'sandbox-start',
    title: 'processor time until a sandbox with 1,000,000 reviews listens',
    goal: 15,
    unit: 's',
    run: async (bench) => ({ values: [(await largeSandbox(bench)).startSeconds] }),
  },
  {
    name: 'sandbox-memory',
    title: 'memory of a sandbox with 1,000,000 reviews',
    goal: 1_500_000 / 1024,
    unit: 'MiB',
    run: async (bench) => ({ values: [(await largeSandbox(bench)).memoryMiB] }),
  },
  {
    name: 'sandbox-list',
    title: 'a list after a write in it, over list and write alone',
    goal: 1.5,
    run: async (bench) => {
      const { mixedMs, readMs, writeMs } = await largeSandbox(bench);
      return { runs: [{ ours: { seconds: mixedMs / 1000 }, limit: { seconds: (readMs + writeMs) / 1000 } }] };
    },
  },
];

/** By processor time, because a start is too short for whatever else the machine does to even out. */
function startRow(name, argv) {
  return {
    name,
    title: `${argv.join(' ')}, over node -e 0`,
    goal: 1.25,
    by: 'cpuSeconds',
    run: (bench) =>
      bench.alternate(
        () => bench.reviewctl(argv),
        () => bench.node(['-e', '0']),
        31,
      ),
  };
}

let measured;

function largeSandbox({ reviewctlPath }) {
  measured ??= measureLargeSandbox(reviewctlPath);
  return measured;
}
