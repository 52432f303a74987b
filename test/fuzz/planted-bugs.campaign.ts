import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/*
 * Verifies that the fuzzer finds bugs. They are planted in the instrumented readers, never in `src`. Each reader is
 * fuzzed with fixed seeds, from its first inputs only.
 */

interface PlantedBug {
  readonly target: string;
  readonly name: string;
}

interface Findings {
  /** The number of executions until each bug was found. */
  readonly found: Readonly<Record<string, number>>;
  /** Faults that were not planted. */
  readonly others: readonly string[];
  readonly executions: number;
  readonly aSecond: number;
}

const bugs: readonly PlantedBug[] = JSON.parse(readFileSync('fixtures/fuzz/planted-bugs.json', 'utf8'));

/**
 * Several seeds, since any change of the readers changes the course of a seed, and one that finds every bug today may
 * miss one tomorrow.
 */
const seeds = [1, 2, 3, 4, 5];

test.each([
  ['csv', 15_000],
  ['json', 5_000],
  ['workbook', 5_000],
  ['sheet', 15_000],
  ['reply', 60_000],
  ['webhook', 60_000],
] as const)(
  'each bug that is planted in the reader of %s is found within %i executions, with one of five seeds',
  (reader, most) => {
    const missed = new Set(bugs.filter(({ target }) => target === reader).map(({ name }) => name));
    expect(missed.size).toBeGreaterThan(0);
    for (const seed of seeds) {
      if (missed.size === 0) break;
      const args = ['test/fuzz/run-planted.js', reader, `${most}`, `${seed}`];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      const { found, others, executions, aSecond }: Findings = JSON.parse(stdout);
      console.info(`${reader}: ${JSON.stringify(found)} in ${executions} executions, ${aSecond} a second`);
      expect(others).toEqual([]);
      for (const name of Object.keys(found)) missed.delete(name);
    }
    expect([...missed]).toEqual([]);
  },
  600_000,
);
