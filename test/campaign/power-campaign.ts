import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { seededRandom } from '../../src/base/random.ts';
import { openSqliteLedger } from '../../src/store/ledger/ledger-file.ts';
import { DiskImages } from './disk-images.ts';
import { type DiskCall, readTrace, traceArguments } from './disk-trace.ts';
import { addFigures } from './figures.ts';
import { openSettlePlace, type SettlePlace } from './settle-place.ts';
import { dumpLines, type LogLine } from './settlement-logs.ts';
import { violationsOf } from './settlement-rules.js';

export interface PowerReport {
  /** Number of simulated losses of power, each at another point or with other remains. */
  readonly cuts: number;
  /** Number of payer calls and reports to the service that the ledger had to know. */
  readonly calls: number;
  readonly words: number;
  readonly broken: readonly string[];
}

const payerFaults = 'retry=0.05,crash-before=0.1,crash-after=0.1,silent=0.1';
const ledgerName = 'ledger.db';
/** Number of random remains of unsynced data per loss of power, besides none. */
const remainsOfCut = 2;

export function hasStrace(): boolean {
  return spawnSync('strace', ['-V']).status === 0;
}

/**
 * Settles with the program under `strace`, and simulates a loss of power before and after every sync of the ledger: all
 * or some of the unsynced data is lost. Each time the ledger must open intact, and must know every earlier call of the
 * payer and report to the service.
 */
export async function powerRound(seed: number): Promise<PowerReport> {
  const isIdempotent = seed % 2 === 0;
  const place = await openSettlePlace({ seed, isIdempotent, products: 5, orders: 20, reviews: 8 });
  try {
    const before = filesIn(place.folder);
    const trace = join(place.folder, 'trace');
    const settler = place.start(['rewards', 'settle', '-o', 'none'], {
      under: ['strace', ...traceArguments(trace)],
      env: { PAYER_FAULTS: payerFaults },
    });
    await settler.ended;
    return await cutEverywhere(place, { seed, before, calls: readTrace(trace) });
  } finally {
    await place.close();
  }
}

interface Traced {
  readonly seed: number;
  readonly before: ReadonlyMap<string, Buffer>;
  readonly calls: readonly DiskCall[];
}

async function cutEverywhere({ folder }: SettlePlace, { seed, before, calls }: Traced): Promise<PowerReport> {
  const random = seededRandom(seed);
  const images = new DiskImages(before);
  const world = { payer: [] as LogLine[], service: [] as LogLine[] };
  const broken: string[] = [];
  let cuts = 0;
  const cut = async (files: ReadonlyMap<string, Buffer>, words: string) => {
    cuts += 1;
    const ledger = await linesAfter(join(folder, 'cut'), files);
    // A call in progress is in doubt until recovered, even with an idempotent payer.
    const judgement = {
      isIdempotent: false,
      hasEvidence: false,
      isClockSteady: true,
      killed: owners(ledger),
    };
    broken.push(
      ...violationsOf({ ...world, ledger }, judgement).map((violation) => `${words}: ${violation}`),
    );
  };
  for (const [index, call] of calls.entries()) {
    const isSync = call.kind === 'sync' && basename(call.path).startsWith(ledgerName);
    for (let way = 0; isSync && way < remainsOfCut; way += 1) {
      await cut(images.withSome(random), `cut before sync ${index}, way ${way}`);
    }
    images.apply(call);
    noteWorld(call, world);
    if (isSync || isWord(call)) await cut(images.withoutUnsynced(), `cut after call ${index}`);
  }
  const called = world.payer.filter(({ what }) => what === 'CALL').length;
  addFigures('power', { faults: cuts, violations: broken.length });
  return { cuts, calls: called, words: world.service.length, broken };
}

/** The content of the ledger after a loss of power. */
async function linesAfter(folder: string, files: ReadonlyMap<string, Buffer>): Promise<readonly LogLine[]> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [path, content] of files) {
    const name = basename(path);
    if (name === ledgerName || name === `${ledgerName}-wal`) writeFileSync(join(folder, name), content);
  }
  return dumpLines(() => openSqliteLedger(join(folder, ledgerName), { clock: systemClock }), []);
}

/** Everyone who has claimed a reward, since power fails for all. */
function owners(ledger: readonly LogLine[]): string[] {
  return ledger.flatMap(({ what, kind, by }) => (what === 'EVENT' && kind === 'claimed' ? [String(by)] : []));
}

/** True if a call sends data to the service or the payer's log. */
function isWord({ path, kind }: DiskCall): boolean {
  return kind === 'write' && (path.startsWith('socket:') || basename(path) === 'payer.ndjson');
}

function noteWorld(
  call: DiskCall,
  { payer, service }: { readonly payer: LogLine[]; readonly service: LogLine[] },
): void {
  if (call.kind !== 'write') return;
  const text = call.content.toString();
  if (basename(call.path) === 'payer.ndjson') {
    payer.push(...text.split('\n').filter(Boolean).map(lineOf));
  }
  const reward = /^PATCH \/admin\/v2\/reward\/([^/? ]+)/.exec(text)?.[1];
  const status = /"status":"(\w+)"/.exec(text)?.[1];
  if (reward !== undefined) service.push({ what: 'PATCH', reward, status, at: Number.MAX_SAFE_INTEGER });
}

function lineOf(text: string): LogLine {
  const line: JsonObject & { readonly what: string } = JSON.parse(text);
  return line;
}

function filesIn(folder: string): Map<string, Buffer> {
  const names = readdirSync(folder).filter((name) => name.startsWith(ledgerName));
  return new Map(names.map((name) => [join(folder, name), readFileSync(join(folder, name))]));
}
