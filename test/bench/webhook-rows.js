import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { settlementEnvironment } from './settle-rows.js';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const connections = 64;
const secret = 'a-path-secret-of-the-bench';

/** The rate of answered webhook calls, each of which pays a reward. */
export const webhookRows = [
  {
    name: 'webhook-rate',
    title:
      '4,000 calls of the webhook by 64 connections, over the same receiver with a ledger that keeps nothing',
    goal: 1 / 0.6,
    run: async (bench) => ({ runs: await measured(bench) }),
  },
  {
    name: 'webhook-p99',
    title: 'in how many milliseconds all but one in a hundred of them are answered',
    goal: 25,
    unit: 'ms',
    run: async (bench) => ({ values: (await measured(bench)).map(({ ours }) => ours.p99Ms) }),
  },
];

let runs;

function measured(bench) {
  runs ??= measure(bench);
  return runs;
}

async function measure(bench) {
  const count = bench.scaled(4000);
  const outfile = join(bench.folder, 'webhook-receiver.mjs');
  await build({
    entryPoints: [here('webhook-receiver.js')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    // It runs outside the project.
    nodePaths: [here('../../node_modules')],
    banner: {
      js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  const secretFile = join(bench.folder, 'path-secret');
  writeFileSync(secretFile, secret, { mode: 0o600 });
  return bench.withService(['--rewards', count], async (service) => {
    const { address } = service;
    const argv = [
      'rewards',
      'listen',
      '-c',
      `port=${0}`,
      '-c',
      `path-secret-file=${secretFile}`,
      '-c',
      'allow-ip=127.0.0.1',
    ];
    const payer = ['--payer-url', `${address}/pay`];
    const promises = ['-c', 'payer-idempotent=1d', '-c', 'payer-replays-response=true'];
    const ours = async () => {
      const folder = mkdtempSync(join(bench.folder, 'state-'));
      const env = settlementEnvironment(bench, address, folder);
      await bench.reviewctl(['ledger', 'init', '-o', 'none'], env);
      const words = [bench.reviewctlPath, ...argv, '-c', `concurrency=${connections}`, ...payer, ...promises];
      const result = await announced(service, words, { count, env });
      rmSync(folder, { recursive: true });
      return result;
    };
    const limit = () => announced(service, [outfile, address, secret, connections], { count });
    return (await bench.alternate(ours, limit)).runs;
  });
}

/** The client's measurement of a receiver that Node runs with `words`; stops the receiver afterwards. */
async function announced({ address }, words, { count, env = {} }) {
  const receiver = spawn(process.execPath, words.map(String), {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  });
  const ended = once(receiver, 'close');
  try {
    const [line] = await Promise.race([once(createInterface(receiver.stdout), 'line'), ended]);
    const { origin } = new URL(JSON.parse(line).url);
    const client = [here('webhook-client.js'), origin, secret, address, count, connections];
    return JSON.parse((await promisify(execFile)(process.execPath, client.map(String))).stdout);
  } finally {
    receiver.kill();
    await ended;
  }
}
