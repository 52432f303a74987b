import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openPushJournal } from '../../src/store/open-store.ts';
import { undoLogPath } from '../../src/store/runs/undo-log-files.ts';
import { stateLocation } from '../../src/store/state/state-location.ts';
import { SkippingClock } from '../client/skipping-clock.ts';
import { cleanEnvironment, expectEnd, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const dayMs = 24 * 60 * 60 * 1000;
const nowMs = new SkippingClock().now();

/** A recorded run: its kind, its age in days, and its result. */
interface PastRun {
  readonly kind?: string;
  readonly days: number;
  readonly file?: string;
  readonly outcome?: string;
  readonly isKilled?: boolean;
  readonly isPlanSent?: boolean;
}

/** A machine with these runs, oldest first; resolves to their ids. */
async function machine(...past: readonly PastRun[]) {
  const folder = temporaryFolder();
  const env = { ...cleanEnvironment(folder), REVIEWCTL_BASE_URL: 'http://127.0.0.1:1' };
  const state = join(folder, 'state', 'default', '127.0.0.1_1');
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const journal = await openPushJournal(stateLocation(state));
  const ids: string[] = [];
  for (const { kind = 'orders', days, file = 'gone.csv', outcome = 'rejected', ...rest } of past) {
    const startedMs = nowMs - days * dayMs;
    const run = await journal.runs.begin({
      ...{ kind, command: [kind, 'push', file], folder, files: [file], startedMs },
      ...(rest.isPlanSent ? { plan: 'plan-1' } : {}),
    });
    ids.push(run);
    const originId = `I${ids.length}`;
    if (outcome === 'unknown') {
      const entries = [{ originId, contentHash: 'x' }];
      const request = await journal.begin('order-item', entries, run);
      await journal.end(request, { unknown: entries });
    }
    await journal.runs.note(run, [{ file, line: 2, originId, outcome }]);
    if (rest.isKilled) continue;
    await journal.runs.end(run, { endedMs: startedMs, exitCode: 6, tally: { [outcome]: 1 }, isWhole: true });
  }
  await journal.close();
  const cli = (...argv: readonly string[]) => runInProcess(argv, { env, cwd: folder });
  const kept = async () =>
    (await cli('runs list -o ids')).stdout
      .split('\n')
      .filter((id) => id !== '')
      .toReversed();
  return { folder, state, ids, cli, kept };
}

test('old runs are removed with what was noted of them, and what was sent stays on record', async () => {
  const { cli, kept, ids } = await machine({ days: 400 }, { days: 200 }, { days: 10 }, { days: 1 });
  const dry = await cli('runs prune 180d -n -o csv --fields run,action');
  expect(dry.stdout).toBe(`run,action\n${ids[1]},remove\n${ids[0]},remove\n`);
  expect(dry.stderr).toMatch(
    /^2 runs would be removed, 2 kept\nthe journal still records what the runs sent/,
  );
  expect(await kept()).toEqual(ids);
  expect((await cli('runs prune 180d')).stderr).toMatch(/^2 runs removed, 2 kept\n/);
  expect(await kept()).toEqual(ids.slice(2));
  expectEnd(await cli('runs rejects', ids[0] ?? ''), 2);
});

test('what is unknown or still needed stays, whatever its age, and it is said why', async () => {
  const { cli, kept, ids, state, folder } = await machine(
    { days: 500, outcome: 'unknown' },
    { days: 490, isKilled: true },
    { days: 480, isPlanSent: true },
    { days: 470, file: 'there.csv' },
    { days: 460 },
    { days: 450, kind: 'products' },
    { days: 440, kind: 'categories' },
    { days: 1 },
  );
  writeFileSync(join(folder, 'there.csv'), '');
  mkdirSync(join(state, 'undo'));
  const lastDay = new Date(nowMs + dayMs).toISOString().slice(0, 10);
  writeFileSync(undoLogPath(state, { run: ids[5] ?? '', lastDay, holds: 'updates' }), '');
  writeFileSync(undoLogPath(state, { run: ids[4] ?? '', lastDay: '2020-01-01', holds: 'updates' }), '');
  const { stdout, stderr } = await cli('runs prune 180d');
  const reasons = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly action: string; readonly reason: string | null })
    .map(({ action, reason }) => reason ?? action)
    .toReversed();
  expect(reasons).toEqual([
    'it has records with an unknown outcome',
    'it was killed, and its command continues it',
    'it sent a plan, which is not sent twice',
    'the next push of its files is compared with it',
    'remove',
    `it can be undone until ${lastDay}`,
    'it is the newest push of categories',
  ]);
  expect(stderr).toMatch(/^1 run removed, 7 kept \(6 older than 180d\)\n/);
  expect(await kept()).toEqual(ids.toSpliced(4, 1));
  expect(readdirSync(join(state, 'undo'))).toHaveLength(1);
});

test('an age is required', async () => {
  const { cli, kept, ids } = await machine({ days: 400 }, { days: 1 });
  expect(await cli('runs prune')).toMatchObject({
    exitCode: 2,
    stderr:
      'error: an age is required: runs younger than it are kept\nhint: reviewctl runs prune 180d --dry-run\n',
  });
  expect(await kept()).toEqual(ids);
});

test.each([
  [[], 'an age is required: runs younger than it are kept'],
  [['soon'], "'soon' is not an age such as 90d"],
])('the age is checked although nothing is on record: %j', async (age, message) => {
  const { cli } = await machine();
  expect(await cli('runs prune', ...age)).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `error: ${message}\nhint: reviewctl runs prune 180d --dry-run\n`,
  });
});
