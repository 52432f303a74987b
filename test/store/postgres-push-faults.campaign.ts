import { expect, onTestFinished, test } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { openJournal } from '../../src/store/journal/open-journal.ts';
import type { PostgresJournalPlace } from '../../src/store/journal/tables.ts';
import type { PushRunStart } from '../../src/store/runs/run-log.ts';
import {
  addProduct,
  entriesOf,
  type OpenPush,
  openPush,
  orderItems,
  type Pushed,
} from '../push/open-push.ts';
import { type Cut, startCuttingProxy } from './cutting-proxy.ts';
import { freshJournal } from './postgres-journal-place.ts';
import { makePostgres, type PostgresServer } from './postgres-server.ts';
import { withPostgres } from './with-postgres.ts';

const itemCount = 8;
const items = entriesOf(orderItems(itemCount));
const ids = items.map(({ record }) => record.originId);

const start: PushRunStart = {
  kind: 'orders',
  command: ['orders', 'push'],
  folder: '/exports',
  files: ['a.csv'],
  startedMs: Date.UTC(2026, 10, 20, 9),
};

/** Runs one push like a process; returns its error if the journal failed. */
async function pushOnce(push: OpenPush, location: PostgresJournalPlace): Promise<Pushed> {
  try {
    const journal = await openJournal(location);
    try {
      const run = await journal.runs.begin(start);
      await journal.recover('order-item');
      const ofRun: typeof journal = {
        ...journal,
        begin: (kind, entries) => journal.begin(kind, entries, run),
      };
      const pushed = await push.orders(items, { journal: ofRun, batchSize: 2, concurrency: 2 });
      if (pushed.error === undefined)
        await journal.runs.end(run, { endedMs: start.startedMs, exitCode: 0, tally: {}, isWhole: true });
      return pushed;
    } finally {
      await journal.close();
    }
  } catch (error) {
    return { outcomes: [], error };
  }
}

/** Number of requests to the service per item. */
function sendsOf(push: OpenPush): ReadonlyMap<string, number> {
  const sends = new Map(ids.map((id) => [id, 0]));
  for (const { method, body } of push.requests) {
    if (method !== 'POST') continue;
    for (const [, id = ''] of String(body).matchAll(/"originId":"(I\d+)"/g))
      sends.set(id, (sends.get(id) ?? 0) + 1);
  }
  return sends;
}

interface Tally {
  kills: number;
  sends: number;
  doubles: number;
  unknown: number;
}

/** Pushes again, then checks and counts the requests per record. */
async function judgeNext(
  push: OpenPush,
  location: PostgresJournalPlace,
  tally: Tally,
  what: string,
): Promise<void> {
  const next = await pushOnce(push, location);
  expect(next.error, what).toBeUndefined();
  const sends = sendsOf(push);
  const told = new Map(next.outcomes.map(({ originId, outcome }) => [originId, outcome]));
  for (const id of ids) {
    const [count, outcome] = [sends.get(id) ?? 0, told.get(id)];
    tally.sends += count;
    tally.doubles += Math.max(0, count - 1);
    if (outcome === 'unknown') tally.unknown += 1;
    else
      expect(
        [count, ['queued', 'created', 'skipped'].includes(outcome ?? '')],
        `${what} ${id} ${outcome}`,
      ).toEqual([1, true]);
  }
}

function saidOf({ kills, sends, doubles, unknown }: Tally): string {
  return `${kills} kills, ${sends} records sent, ${doubles} doubles, ${unknown} reported as unknown`;
}

/** Pushes with all sessions cut at one message, then again like the next run. Returns false once no message was cut. */
async function pushCut(server: PostgresServer, cut: Cut, tally: Tally): Promise<boolean> {
  const location = freshJournal(server);
  const proxy = await startCuttingProxy(server.folder, cut);
  const push = await openPush();
  addProduct(push);
  const host = { ...location.address, host: proxy.folder };
  const first = await pushOnce(push, { ...location, address: host });
  const isCut = proxy.isCut();
  if (isCut) tally.kills += 1;
  if (first.error !== undefined) expect(first.error).toBeInstanceOf(Failure);
  await judgeNext(push, location, tally, `${cut.how} ${cut.at}`);
  return isCut;
}

function promiseSessions(server: PostgresServer): void {
  test('sessions that are cut at any message, sent or answered, send nothing twice, and nothing is lost unsaid', async () => {
    const tally = { kills: 0, sends: 0, doubles: 0, unknown: 0 };
    for (const how of ['before', 'after'] as const) {
      let at = 1;
      while (await pushCut(server, { at, how }, tally)) at += 1;
    }
    console.log(`pushes cut at every message: ${saidOf(tally)}`);
    expect(tally.kills).toBeGreaterThan(30);
    expect(tally.doubles).toBe(0);
  }, 120_000);
}

function promiseCrashes(program: string): void {
  test('a server that crashes in the middle of pushes makes nothing go out twice; an answer it lost is reported as unknown', async () => {
    const server = await makePostgres(program);
    onTestFinished(() => server.remove());
    const tally = { kills: 0, sends: 0, doubles: 0, unknown: 0 };
    for (const wanted of [1, 2, 3]) {
      const location = freshJournal(server);
      const push = await openPush();
      addProduct(push);
      const first = pushOnce(push, location);
      await expect
        .poll(() => push.requests.length, { interval: 1, timeout: 30_000 })
        .toBeGreaterThanOrEqual(wanted);
      await server.stop('immediate');
      await first;
      await server.start();
      tally.kills += 1;
      await judgeNext(push, location, tally, `crash ${wanted}`);
    }
    console.log(`pushes over a server that crashes: ${saidOf(tally)}`);
    expect(tally.doubles).toBe(0);
  }, 120_000);
}

await withPostgres('the faults of pushes', (server, bin) => {
  promiseSessions(server);
  promiseCrashes(bin);
});
