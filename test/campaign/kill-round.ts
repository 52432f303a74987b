import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { type Random, seededRandom } from '../../src/base/random.ts';
import type { PushOutcome } from '../../src/push/steps/outcome.ts';
import type { FaultRates } from '../../src/sandbox/faults/faults.ts';
import { type PersonaName, personas, sandboxAs } from '../../src/sandbox/personas.ts';
import { type ServedSandbox, serveSandbox } from '../../src/sandbox/serve.ts';
import { assumptionVariables } from '../assumption-variables.ts';
import { fastFolder } from '../fast-folder.ts';
import { countRequests } from '../sandbox/count-requests.ts';
import { transportOf } from '../sandbox/in-process.ts';
import { addFigures } from './figures.ts';

export interface KillRound {
  readonly seed: number;
  /** Number of kills before the push may run to its end. */
  readonly kills: number;
  readonly itemCount: number;
  readonly faults?: FaultRates;
  /** The kind of service it pushes to. */
  readonly persona?: PersonaName | undefined;
}

export interface KillReport {
  /** Number of killed pushes, without those that ended first. */
  readonly killed: number;
  readonly unknown: number;
  readonly violations: readonly string[];
}

const batchSize = 20;

interface Run {
  readonly exitCode: number | null;
  readonly outcomes: readonly PushOutcome[];
}

/**
 * Pushes order items with the built program over a socket, kills it with -9 at random times, runs it to its end, and
 * compares the content of the sandbox with the output of all runs. The sandbox accepts repetitions, so that each would
 * show.
 */
export async function killRound({
  seed,
  kills,
  itemCount,
  faults = {},
  persona,
}: KillRound): Promise<KillReport> {
  const random = seededRandom(seed);
  const folder = fastFolder();
  const options = sandboxAs(persona, {
    seed,
    faults,
    latencyMs: 3,
    assumptions: { duplicateOriginId: 'accept' },
  });
  const served = await serveSandbox({ port: 0, ...options });
  const client = persona === undefined ? [] : personas[persona].client;
  const place: Place = { served, folder, client };
  try {
    await createProduct(served);
    const originIds = Array.from({ length: itemCount }, (_, index) => `I${index + 1}`);
    const rows = originIds.map((originId, index) => `O${Math.floor(index / 3)},${originId},P1`);
    writeFileSync(join(folder, 'items.csv'), `orderOriginId,originId,productOriginId\n${rows.join('\n')}\n`);
    // Spread so that every kill finds work left to do.
    const requestsMost = itemCount / batchSize / (kills + 1);
    const runs: Run[] = [];
    for (let kill = 0; kill < kills; kill += 1)
      runs.push(await push(place, killInstant(random, requestsMost)));
    const last = await push(place, undefined);
    const onRecord = await runsOnRecord(place);
    // By then, the last accepted records are processed.
    await systemClock.sleep(options.jobDelayMs ?? 0);
    const killed = runs.filter(({ exitCode }) => exitCode === null).length;
    const violations = [
      ...violationsOf(served, originIds, runs, last),
      ...wrongOnRecord([...runs, last], onRecord, itemCount),
    ];
    addFigures('push', { kills: killed, violations: violations.length });
    return {
      killed,
      unknown: last.outcomes.filter(({ outcome }) => outcome === 'unknown').length,
      violations,
    };
  } finally {
    await served.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The number of requests of a run before its kill, and of turns of the event loop after them. */
interface KillInstant {
  readonly requests: number;
  readonly turns: number;
}

function killInstant(random: Random, requestsMost: number): KillInstant {
  return { requests: 1 + Math.floor(random() * requestsMost), turns: Math.floor(random() * 40) };
}

/** Puts product P1 into the sandbox, despite its faults. */
export async function createProduct({ sandbox }: ServedSandbox): Promise<void> {
  const { rates } = sandbox.faults;
  sandbox.faults.rates = {};
  await transportOf(sandbox)({
    operation: 'createProduct',
    isRepeatable: false,
    method: 'POST',
    path: '/admin/v2/product',
    headers: { authorization: `Basic ${sandbox.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ originId: 'P1', name: '니트' }),
  });
  sandbox.faults.rates = rates;
}

/** A service, the folder of its client, and the client's settings for it. */
interface Place {
  readonly served: ServedSandbox;
  readonly folder: string;
  readonly client: readonly string[];
}

/** Starts the program; resolves with the records that it printed. */
function start<T>({ served: { baseUrl, token }, folder, client }: Place, args: readonly string[]) {
  const child = spawn(process.execPath, [join('bin', 'reviewctl.js'), ...args, '-o', 'ndjson'], {
    env: {
      HOME: folder,
      REVIEWCTL_BASE_URL: baseUrl,
      REVIEWCTL_TOKEN: token,
      REVIEWCTL_STATE_DIR: join(folder, 'state'),
      REVIEWCTL_CONFIG_DIR: join(folder, 'config'),
      ...assumptionVariables(client),
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = once(child, 'close').then(([exitCode]: (number | null)[]) => ({
    exitCode: exitCode ?? null,
    lines: linesOf<T>(Buffer.concat(chunks).toString()),
  }));
  return { child, ended };
}

/** Runs one push, killed at `instant` if given. */
async function push(place: Place, instant: KillInstant | undefined): Promise<Run> {
  const args = ['orders', 'push', join(place.folder, 'items.csv'), '-c', 'progress=none'];
  const { child, ended } = start<PushOutcome>(place, [...args, '-c', `batch-size=${batchSize}`]);
  const received = countRequests(place.served.sandbox, 'POST /admin/v2/order-items/bulk');
  let turns = 0;
  const killAtInstant = () => {
    if (child.exitCode !== null || instant === undefined) return;
    if (received() >= instant.requests) turns += 1;
    if (turns > instant.turns) child.kill('SIGKILL');
    else setImmediate(killAtInstant);
  };
  killAtInstant();
  const { exitCode, lines } = await ended;
  return { exitCode, outcomes: lines };
}

/** A run as printed by `runs list`. */
export interface RunOnRecord {
  readonly run: string;
  readonly state: string;
  readonly exitCode: number | null;
  readonly outcomes: Readonly<Record<string, number>>;
}

/** The output of `runs list`, oldest first. */
async function runsOnRecord(place: Place): Promise<readonly RunOnRecord[]> {
  return (await start<RunOnRecord>(place, ['runs', 'list']).ended).lines.reverse();
}

/**
 * Checks that every push is recorded: a killed one as killed, any other with its exit code. A kill may come after the
 * end was recorded and before the process exits; then the push must have printed all its outcomes.
 */
function wrongOnRecord(runs: readonly Run[], onRecord: readonly RunOnRecord[], itemCount: number): string[] {
  const expected = runs.map(({ exitCode, outcomes }, index) => {
    if (exitCode === null && onRecord[index]?.state !== 'ended') return 'killed';
    const isWhole = outcomes.length === itemCount;
    return isWhole ? endInWords(exitCode ?? exitCodeOf(outcomes), totalsOf(outcomes)) : 'not ended';
  });
  const told = onRecord.map(({ state, exitCode, outcomes }) =>
    state === 'ended' ? endInWords(exitCode, outcomes) : state,
  );
  return expected.join() === told.join() ? [] : [`on record as ${told.join()} instead of ${expected.join()}`];
}

function endInWords(exitCode: number | null, totals: Readonly<Record<string, number>>): string {
  const counts = Object.entries(totals).map(([outcome, count]) => `${count} ${outcome}`);
  return `ended ${exitCode} with ${counts.toSorted().join(' and ')}`;
}

function totalsOf(outcomes: readonly PushOutcome[]): Readonly<Record<string, number>> {
  const totals: Record<string, number> = {};
  for (const { outcome } of outcomes) totals[outcome] = (totals[outcome] ?? 0) + 1;
  return totals;
}

function exitCodeOf(outcomes: readonly PushOutcome[]): number {
  return outcomes.some(({ outcome }) => outcome === 'unknown') ? 11 : 0;
}

/** The records on stdout. A kill may cut the last line. */
export function linesOf<T>(stdout: string): T[] {
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line): T => JSON.parse(line));
}

/** The originIds of all items in the sandbox, with every due job processed. */
export function heldItems({ sandbox }: ServedSandbox): readonly string[] {
  return sandbox.transact(({ state }) => [...state.orderItems.values()].map(({ originId }) => originId));
}

function violationsOf(
  served: ServedSandbox,
  originIds: readonly string[],
  killedRuns: readonly Run[],
  last: Run,
): string[] {
  const held = heldItems(served);
  const there = new Set(held);
  const queued = [...killedRuns, last].flatMap(({ outcomes }) =>
    outcomes.filter(({ outcome }) => outcome === 'queued').map(({ originId }) => originId),
  );
  const lastWords = new Map(last.outcomes.map(({ originId, outcome }) => [originId, outcome]));
  const of = (what: string, ids: readonly string[]) =>
    ids.length === 0 ? [] : [`${what}: ${ids.slice(0, 5).join(', ')} (${ids.length})`];
  return [
    ...of('there more than once', repeatedIn(held)),
    ...of('reported as sent twice', repeatedIn(queued)),
    ...of(
      'reported as sent and not there',
      queued.filter((id) => !there.has(id)),
    ),
    ...of(
      'not reported by the last run',
      originIds.filter((id) => !lastWords.has(id)),
    ),
    ...of(
      'absent and not unknown',
      originIds.filter((id) => !there.has(id) && lastWords.get(id) !== 'unknown'),
    ),
    ...of(
      'reported as sent, then unknown',
      queued.filter((id) => lastWords.get(id) === 'unknown'),
    ),
    ...(last.exitCode === exitCodeOf(last.outcomes) ? [] : [`exit code ${last.exitCode}`]),
  ];
}

function repeatedIn(ids: readonly string[]): string[] {
  const seen = new Set<string>();
  return ids.filter((id) => seen.size === seen.add(id).size);
}
