import { expect, test } from 'vitest';
import { addFigures } from './figures.ts';
import { heldItems, linesOf, type RunOnRecord } from './kill-round.ts';
import { killingAt, openPushPlace } from './push-place.ts';

/*
 * Kills the built program before and after every commit of a push in turn: its run, its requests, the outcomes that
 * need attention, the ends of its jobs. Then runs it to its end.
 */

/** More steps than any such push has. */
const stepsMaximum = 100;

const flags = [
  ...['--wait=30s', '-c', 'batch-size=2', '-c', 'concurrency=1', '-o', 'ndjson'],
  ...['-c', 'get-job=GET /admin/v2/job/{jobId}'],
];

/** I4 has a product unknown to the service, so that its job fails. */
const items = ['I1,P1', 'I2,P1', 'I3,P1', 'I4,P-GONE', 'I5,P1'];

interface Line {
  readonly originId: string;
  readonly outcome: string;
}

/** The broken promises after a kill at one step; undefined if the push ended before it. */
async function violationsAfterKill(killAt: number): Promise<readonly string[] | undefined> {
  const { served, path, run, runBuilt } = await openPushPlace(items);
  const args = ['orders', 'push', path, ...flags];
  const killed = await runBuilt(args, killingAt(killAt));
  if (killed.exitCode !== null) return undefined;
  const last = await run(args);
  const held = heldItems(served);
  const told = linesOf<Line>(killed.stdout);
  const final = new Map(linesOf<Line>(last.stdout).map(({ originId, outcome }) => [originId, outcome]));
  const runs = linesOf<RunOnRecord>((await run(['runs', 'list', '-o', 'ndjson'])).stdout);
  const isAbsentUnknown = ['I1', 'I2', 'I3', 'I5'].every(
    (originId) => held.includes(originId) || final.get(originId) === 'unknown',
  );
  return [
    ...(new Set(held).size === held.length ? [] : [`repeated: ${held.join()}`]),
    ...(final.size === items.length ? [] : [`told at last: ${[...final.keys()].join()}`]),
    ...(isAbsentUnknown ? [] : [`neither there nor unknown: there are ${held.join()}`]),
    ...told
      .filter(({ originId, outcome }) => outcome === 'created' && final.get(originId) !== 'skipped')
      .map(({ originId }) => `${originId} was created, then ${final.get(originId)}`),
    ...runs
      .slice(1)
      // The last commit is the end of the run, after all outcomes were printed.
      .filter(({ state }) => state !== 'killed' && (state !== 'ended' || told.length < items.length))
      .map(({ run: id, state }) => `run ${id} is ${state}`),
  ];
}

test('killed before or after any commit, a push repeats nothing, hides nothing, and is on record as killed', async () => {
  let killAt = 1;
  for (; killAt < stepsMaximum; killAt += 1) {
    const violations = await violationsAfterKill(killAt);
    if (violations === undefined) break;
    addFigures('push', { kills: 1, violations: violations.length });
    expect(violations, `at step ${killAt}`).toEqual([]);
  }
  expect(killAt).toBeGreaterThan(20);
  expect(killAt).toBeLessThan(stepsMaximum);
}, 240_000);
