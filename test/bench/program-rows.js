import { measureLargeSandbox } from './large-sandbox.js';

/** What a sandbox of a large shop takes. */
export const programRows = [
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

let measured;

function largeSandbox({ reviewctlPath }) {
  measured ??= measureLargeSandbox(reviewctlPath);
  return measured;
}
