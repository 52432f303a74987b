import { expect, test } from 'vitest';
import { addFigures } from './figures.ts';
import { heldItems, linesOf } from './kill-round.ts';
import { openPushPlace, sqliteStandIn } from './push-place.ts';

/*
 * The built program on a disk that is full from one commit of a push on, for each commit in turn. Then it runs again
 * with free space.
 */

/** More commits than any such push has. */
const commitsMaximum = 60;

const flags = ['-c', 'batch-size=2', '-c', 'concurrency=3', '-o', 'ndjson'];
const items = Array.from({ length: 8 }, (_, index) => `I${index},P1`);

interface Line {
  readonly originId: string;
  readonly outcome: string;
}

/** The broken promises after the disk was full from one commit on, and the end of the first run. */
async function fullFrom(commit: number) {
  const { served, path, run, runBuilt } = await openPushPlace(items);
  const args = ['orders', 'push', path, ...flags];
  const full = await runBuilt(args, { ...sqliteStandIn('full-sqlite.cjs'), FULL_AT: String(commit) });
  const begun = heldItems(served);
  const told = linesOf<Line>(full.stdout);
  const outcomes = new Map(told.map(({ originId, outcome }) => [originId, outcome]));
  const hasUnknown = told.some(({ outcome }) => outcome === 'unknown');
  const last = await run(args);
  const final = new Map(linesOf<Line>(last.stdout).map(({ originId, outcome }) => [originId, outcome]));
  const held = heldItems(served);
  return {
    exitCode: full.exitCode,
    stderr: full.stderr,
    hasUnknown,
    violations: [
      ...begun.filter((id) => !outcomes.has(id)).map((id) => `${id} is at the service, and was not told`),
      ...(new Set(held).size === held.length ? [] : [`repeated: ${held.join()}`]),
      ...(final.size === items.length ? [] : [`told at last: ${[...final.keys()].join()}`]),
      ...[...outcomes]
        .filter(([id, outcome]) => final.get(id) !== (outcome === 'queued' ? 'skipped' : 'unknown'))
        .map(([id, outcome]) => `${id} was ${outcome}, then ${final.get(id)}`),
    ],
  };
}

test('on a disk that is full from any commit on, a push names what is unknown with exit 11, counts all it began, and repeats nothing', async () => {
  const exitCodes = new Set<number | null>();
  for (let commit = 1; commit < commitsMaximum; commit += 1) {
    const { exitCode, stderr, hasUnknown, violations } = await fullFrom(commit);
    if (exitCode === 0) break;
    exitCodes.add(exitCode);
    addFigures('faults', { faults: 1, violations: violations.length });
    expect(violations, `from commit ${commit} on`).toEqual([]);
    expect({ commit, exitCode }).toEqual({ commit, exitCode: hasUnknown ? 11 : 2 });
    expect(stderr).toContain('disk is full');
    expect(stderr).not.toContain('name a file');
    expect(stderr.includes('sent without a usable answer')).toBe(hasUnknown);
  }
  expect(new Set(exitCodes)).toEqual(new Set([2, 11]));
}, 240_000);
