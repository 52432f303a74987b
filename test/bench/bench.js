import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureLargeSandbox } from './large-sandbox.js';

/*
 * Ratios within one run, so that they can be compared between machines. Each figure is the median of its runs; each pair is
 * measured in turns. A row above its goal is told and no error: a busy machine is no mistake of the program.
 */

const program = fileURLToPath(new URL('../../bin/reviewctl.js', import.meta.url));
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'reviewctl-bench-'));
const results = [];

try {
  benchStart();
  await benchSandbox();
  const server = spawn(process.execPath, [here('bare-server.js')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [port] = await once(server.stdout, 'data');
  const address = `http://127.0.0.1:${String(port).trim()}`;
  try {
    await benchPush(address);
    await benchJournal(address);
    await benchMemory(address);
  } finally {
    server.stdin.end();
  }
  for (const { name, ratio, goal, detail } of results) {
    const verdict = ratio <= goal ? 'within' : 'ABOVE';
    process.stdout.write(`${name}: ${ratio.toFixed(2)} (${verdict} the goal of ${goal}; ${detail})\n`);
  }
  const above = results.filter(({ ratio, goal }) => ratio > goal).length;
  process.stdout.write(`${above} of ${results.length} rows above their goal\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function benchStart() {
  const rows = [['--version'], ['--help'], ['orders', 'push', '--help']].map((argv) => ({ argv, own: [] }));
  const bare = [];
  for (let run = 0; run < 31; run += 1) {
    bare.push(cpuSeconds(['-e', '0']));
    for (const { argv, own } of rows) own.push(cpuSeconds([program, ...argv]));
  }
  for (const { argv, own } of rows)
    add(`${argv.join(' ')} over node -e 0`, own, bare, 1.25, 'ms of processor time', 1000);
}

/** A shop of 100,000 products and 1,000,000 reviews; what a list costs after a write is told against the same list and write alone. */
async function benchSandbox() {
  const { startSeconds, memoryMiB, readMs, writeMs, mixedMs } = await measureLargeSandbox(program);
  add(
    'start of a sandbox with 1,000,000 reviews over 15 s',
    [startSeconds],
    [15],
    1,
    's of processor time',
    1,
  );
  add('memory of a sandbox with 1,000,000 reviews over 1.5 GB', [memoryMiB], [1_500_000 / 1024], 1, 'MiB', 1);
  add('a list after a write over list and write alone', [mixedMs], [readMs + writeMs], 1.5, 'ms', 1);
}

/** Processor time, because a start is too short for whatever else the machine does to even out. */
function cpuSeconds(args) {
  const file = join(folder, 'cpu');
  const { status } = spawnSync(process.execPath, ['--require', here('report-cpu.cjs'), ...args], {
    env: { ...process.env, BENCH_CPU_FILE: file },
  });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
  return Number(readFileSync(file, 'utf8')) / 1_000_000;
}

/** Both as whole processes: the one reads and checks a file and keeps a journal, the other finds its requests written out. */
async function benchPush(address) {
  const count = 200_000;
  const file = await orderFile(count);
  const bodies = bodiesFile(count);
  const bare = [];
  const own = [];
  for (let run = 0; run < 5; run += 1) {
    bare.push(seconds(() => spawnSync(process.execPath, [here('bare-client.js'), address, bodies])));
    own.push(seconds(() => push(address, file)));
  }
  add('orders push of 200,000 items over bare undici with prebuilt bodies', own, bare, 3.5, 's', 1);
}

/** The same push with a journal that keeps nothing is what it costs without one. A fifth of the throughput is a quarter of the time. */
async function benchJournal(address) {
  const file = await orderFile(200_000);
  const without = [];
  const own = [];
  const hooked = {
    NODE_OPTIONS: `--import=${here('sqlite-hook.js')}`,
    SQLITE_STAND_IN: './idle-sqlite.js',
  };
  for (let run = 0; run < 7; run += 1) {
    without.push(seconds(() => push(address, file, { ...hooked, BENCH_JOURNAL: 'idle' })));
    own.push(seconds(() => push(address, file, hooked)));
  }
  add('orders push of 200,000 items over the same without a journal', own, without, 1.25, 's', 1);
}

async function benchMemory(address) {
  const small = peakMiB(address, await orderFile(200_000));
  const large = peakMiB(address, await orderFile(1_000_000));
  add('peak memory of 1,000,000 rows over 200,000', [large], [small], 1.2, 'MiB', 1);
}

function peakMiB(address, file) {
  const memoryFile = join(folder, 'memory');
  push(address, file, {
    NODE_OPTIONS: `--import=${here('report-memory.js')}`,
    BENCH_MEMORY_FILE: memoryFile,
  });
  return Number(readFileSync(memoryFile, 'utf8'));
}

/** Pushes with a state folder of its own, so that nothing was sent before. */
function push(address, file, env = {}) {
  const state = mkdtempSync(join(folder, 'state-'));
  const args = [program, 'orders', 'push', file, '-o', 'none', '--progress', 'none'];
  const { status, stderr } = spawnSync(process.execPath, args, {
    env: {
      ...process.env,
      REVIEWCTL_BASE_URL: address,
      REVIEWCTL_TOKEN: 'bench',
      REVIEWCTL_STATE_DIR: state,
      ...env,
    },
  });
  rmSync(state, { recursive: true });
  if (status !== 0) throw new Error(`the push ended with ${status}: ${stderr.toString()}`);
}

function item(number) {
  const order = number >> 2;
  return {
    orderOriginId: `O-${order}`,
    originId: `O-${order}-${number & 3}`,
    productOriginId: `P-${number % 977}`,
  };
}

async function orderFile(count) {
  const path = join(folder, `orders-${count}.csv`);
  const stream = createWriteStream(path);
  stream.write('orderOriginId,originId,productOriginId\n');
  for (let number = 0; number < count; number += 1) {
    const isRoom = stream.write(`${Object.values(item(number)).join(',')}\n`);
    if (!isRoom) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'finish');
  return path;
}

function bodiesFile(count) {
  const path = join(folder, 'bodies.ndjson');
  const bodies = Array.from({ length: count / 100 }, (_, group) =>
    JSON.stringify(Array.from({ length: 100 }, (_, index) => item(group * 100 + index))),
  );
  writeFileSync(path, bodies.join('\n'));
  return path;
}

function seconds(work) {
  const startedMs = performance.now();
  work();
  return (performance.now() - startedMs) / 1000;
}

function add(name, own, bare, goal, unit, factor) {
  const shown = (value) => (value * factor).toPrecision(3);
  const [a, b] = [median(own), median(bare)];
  results.push({ name, ratio: a / b, goal, detail: `${shown(a)} ${unit} over ${shown(b)} ${unit}` });
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}
