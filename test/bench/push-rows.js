import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { orderItemsFile, productsFile } from './inputs.js';

const bareClient = fileURLToPath(new URL('bare-client.js', import.meta.url));
const aiohttpClient = fileURLToPath(new URL('aiohttp-client.py', import.meta.url));

const million = 1_000_000;

/** The cost of a push over the minimum for the same requests, and over alternatives in use. */
export const pushRows = [
  {
    name: 'push-million',
    title: '1,000,000 order items at 0 ms, over bare undici',
    goal: 3,
    run: (bench) => overBare(bench, { count: bench.scaled(million), latencyMs: 0, bareInFlight: 16 }),
  },
  {
    name: 'push-latency-16',
    title: '200,000 order items at 20 ms, 16 in flight, over bare undici with as many',
    goal: 1.15,
    run: (bench) => overBare(bench, { ...delayed(bench), inFlight: 16, bareInFlight: 16 }),
  },
  {
    name: 'push-latency-64',
    title: '200,000 order items at 20 ms, 64 in flight, over bare undici with as many',
    goal: 1.5,
    run: (bench) => overBare(bench, { ...delayed(bench), inFlight: 64, bareInFlight: 64 }),
  },
  {
    name: 'push-latency-default',
    title: '200,000 order items at 20 ms by default, over bare undici with 16 in flight',
    goal: 1.2,
    run: (bench) => overBare(bench, { ...delayed(bench), bareInFlight: 16 }),
  },
  {
    name: 'push-aiohttp',
    title: '1,000,000 order items at 0 ms, over Python with aiohttp and 16 in flight',
    goal: 0.55,
    run: (bench) => {
      const { status } = spawnSync('python3', ['-c', 'import aiohttp'], { stdio: 'ignore' });
      if (status !== 0) return { skipped: 'python3 here has no aiohttp' };
      return overClient(bench, (address, file) => bench.program('python3', [aiohttpClient, address, file]));
    },
  },
  {
    name: 'products',
    title: '100,000 products created singly at 0 ms, lookups included, over bare POSTs, 16 in flight',
    goal: 2,
    run: createProducts,
  },
];

const delayed = (bench) => ({ count: bench.scaled(200_000), latencyMs: 20 });

async function overBare(bench, { count, latencyMs, inFlight = 'auto', bareInFlight }) {
  const file = await orderItemsFile(bench.folder, count);
  return bench.withService(['--latency', latencyMs], (service) =>
    bench.inTurns(
      service,
      () => bench.push(service, ['orders', 'push', file, '-c', `concurrency=${inFlight}`]),
      () => bench.node([bareClient, service.address, 'push', count, bareInFlight]),
      count,
    ),
  );
}

async function overClient(bench, otherClient) {
  const count = bench.scaled(million);
  const file = await orderItemsFile(bench.folder, count);
  return bench.withService([], (service) =>
    bench.inTurns(
      service,
      () => bench.push(service, ['orders', 'push', file]),
      () => otherClient(service.address, file),
      count,
    ),
  );
}

/** Each run has a new service without any of the products. */
async function createProducts(bench) {
  const count = bench.scaled(100_000);
  const file = await productsFile(bench.folder, count);
  return bench.alternate(
    () =>
      bench.withService([], (service) =>
        bench.measured(service, () => pushProducts(bench, service, file), count),
      ),
    () =>
      bench.withService([], (service) =>
        bench.measured(
          service,
          () => bench.node([bareClient, service.address, 'products', count, 16]),
          count,
        ),
      ),
  );
}

function pushProducts(bench, service, file) {
  return bench.push(service, ['products', 'push', file, '-c', `concurrency=${16}`]);
}
