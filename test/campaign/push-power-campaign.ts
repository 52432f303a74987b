import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { seededRandom } from '../../src/base/random.ts';
import { serveSandbox } from '../../src/sandbox/serve.ts';
import { openJournal } from '../../src/store/journal/open-journal.ts';
import { DiskImages } from './disk-images.ts';
import { type DiskCall, readTrace, traceArguments } from './disk-trace.ts';
import { addFigures } from './figures.ts';
import { createProduct } from './kill-round.ts';

export interface PushPowerReport {
  /** Number of simulated losses of power, each at another point or with other remains. */
  readonly cuts: number;
  /** Number of order items sent to the service before the last of them. */
  readonly items: number;
  readonly broken: readonly string[];
}

const itemCount = 400;
const journalName = 'pushes.db';
/** Number of random remains of unsynced data per loss of power, besides none. */
const remainsOfCut = 2;

/**
 * Pushes order items with the program under `strace`, and simulates a loss of power when each request is sent: all or
 * some of the unsynced data is lost. Each time the journal must know every item sent before; a forgotten one would
 * silently be sent again.
 */
export async function pushPowerRound(seed: number): Promise<PushPowerReport> {
  const folder = mkdtempSync(join(tmpdir(), 'reviewctl-'));
  const served = await serveSandbox({ port: 0, seed, latencyMs: 3 });
  try {
    await createProduct(served);
    const rows = Array.from({ length: itemCount }, (_, index) => `O${Math.floor(index / 3)},I${index},P1`);
    writeFileSync(join(folder, 'items.csv'), `orderOriginId,originId,productOriginId\n${rows.join('\n')}\n`);
    const trace = join(folder, 'trace');
    const push = ['orders', 'push', join(folder, 'items.csv'), '-c', 'batch-size=10', '-o', 'none'];
    const child = spawn('strace', [...traceArguments(trace), process.execPath, 'bin/reviewctl.js', ...push], {
      env: {
        HOME: folder,
        REVIEWCTL_BASE_URL: served.baseUrl,
        REVIEWCTL_TOKEN: served.token,
        REVIEWCTL_STATE_DIR: join(folder, 'state'),
      },
      stdio: 'ignore',
    });
    const [exitCode] = await once(child, 'exit');
    if (exitCode !== 0) throw new Error(`the push ended with ${exitCode}`);
    return await cutEverywhere(join(folder, 'cut'), seed, readTrace(trace));
  } finally {
    await served.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function cutEverywhere(
  folder: string,
  seed: number,
  calls: readonly DiskCall[],
): Promise<PushPowerReport> {
  const random = seededRandom(seed);
  const images = new DiskImages(new Map());
  const left: string[] = [];
  const broken: string[] = [];
  let cuts = 0;
  const cut = async (files: ReadonlyMap<string, Buffer>, words: string) => {
    cuts += 1;
    const forgotten = await forgottenIn(folder, files, left);
    if (forgotten.length > 0) broken.push(`${words}: ${forgotten.join()} would be sent again`);
  };
  for (const [index, call] of calls.entries()) {
    images.apply(call);
    const items = itemsOf(call);
    if (items.length === 0) continue;
    left.push(...items);
    await cut(images.withoutUnsynced(), `cut after call ${index}`);
    for (let way = 0; way < remainsOfCut; way += 1) {
      await cut(images.withSome(random), `cut after call ${index}, way ${way}`);
    }
  }
  if (left.length !== itemCount) broken.push(`the trace shows ${left.length} of ${itemCount} items`);
  addFigures('power', { faults: cuts, violations: broken.length });
  return { cuts, items: left.length, broken };
}

/** Those of `items` that the journal does not know, or that it does not report as unknown. */
async function forgottenIn(
  folder: string,
  files: ReadonlyMap<string, Buffer>,
  items: readonly string[],
): Promise<readonly string[]> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [path, content] of files) {
    const name = basename(path);
    if (name === journalName || name === `${journalName}-wal`) writeFileSync(join(folder, name), content);
  }
  const journal = await openJournal({ kind: 'sqlite', path: join(folder, journalName) });
  try {
    await journal.recover('order-item');
    const known = await journal.known('order-item', items);
    return items.filter((item) => !known.has(item));
  } finally {
    await journal.close();
  }
}

/** The items that a call sends to the service. */
function itemsOf(call: DiskCall): readonly string[] {
  if (call.kind !== 'write' || !call.path.startsWith('socket:')) return [];
  return [...call.content.toString().matchAll(/"originId":"(I\d+)"/g)].map(([, item = '']) => item);
}
