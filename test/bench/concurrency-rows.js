import { orderItemsFile } from './inputs.js';

const fixedSettings = [16, 24, 32, 48, 64];

/** Adaptive concurrency over the best fixed one. Requests are small, so that the service is the slow part. */
export const concurrencyRows = [
  {
    name: 'auto-slow',
    title:
      '4,000 requests of 50 ms to a service that slows down above 32 in flight, over the best fixed concurrency',
    goal: 1.1,
    run: (bench) => overBestFixed(bench, ['--slow-above', 32]),
  },
  {
    name: 'auto-429',
    title:
      '4,000 requests of 50 ms to a service that answers 429 above 32 in flight, over the best fixed concurrency',
    goal: 1.1,
    run: (bench) => overBestFixed(bench, ['--refuse-above', 32]),
  },
];

async function overBestFixed(bench, options) {
  const count = bench.scaled(40_000);
  const file = await orderItemsFile(bench.folder, count);
  return bench.withService(['--latency', 50, ...options], async (service) => {
    const push = (concurrency) =>
      bench.push(service, [
        'orders',
        'push',
        file,
        '-c',
        `batch-size=${10}`,
        '-c',
        `concurrency=${concurrency}`,
      ]);
    const best = await bestOf(fixedSettings, push);
    const result = await bench.inTurns(
      service,
      () => push('auto'),
      () => push(best),
      count,
    );
    const refused = Math.max(...result.runs.map(({ ours }) => ours.stats.refused));
    return { ...result, note: `best fixed: ${best}; refused at most ${refused} requests of auto` };
  });
}

/** The setting with the fastest push. A setting that the service refuses too often to finish does not count. */
async function bestOf(settings, push) {
  let best = { seconds: Number.POSITIVE_INFINITY };
  for (const setting of settings) {
    const { seconds } = await push(setting).catch(() => ({ seconds: Number.POSITIVE_INFINITY }));
    if (seconds < best.seconds) best = { setting, seconds };
  }
  return best.setting;
}
