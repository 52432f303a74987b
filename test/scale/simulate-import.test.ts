import { expect, it } from 'vitest';
import { seededRandom } from '../../src/base/random.ts';
import { documentationPages } from '../markdown.ts';
import { measuredCosts, scaleTable } from './scale-table.ts';
import { type Import, type Surroundings, simulateImport } from './simulate-import.ts';

const page = documentationPages().find(({ path }) => path === 'docs/scale.md')?.text ?? '';
const undisturbed: Surroundings = {
  requestsPerSecond: 1e6,
  secondsToLoss: Number.POSITIVE_INFINITY,
  restartSeconds: 60,
  answerSeconds: 0.2,
};
const ended = (one: Import, around: Partial<Surroundings> = {}) =>
  simulateImport(one, measuredCosts, { ...undisturbed, ...around }, seededRandom(7));

it('takes the processor time that was measured, of one process and of one of eight shards', () => {
  const rows = [...page.matchAll(/^\| (?:1|10) million \|(.+)\|$/gm)].map(([, cells = '']) =>
    cells.split('|').map((cell) => Number.parseFloat(cell)),
  );
  expect(rows).toHaveLength(2);
  for (const [index, [push = 0, , , , shard = 0]] of rows.entries()) {
    const records = 10 ** (6 + index);
    const whole = ended({ records, shards: 1, isSplit: false });
    expect(Math.abs(whole.cpuSeconds / push - 1)).toBeLessThan(0.25);
    const part = ended({ records, shards: 8, isSplit: false });
    expect(Math.abs(part.cpuSeconds / 8 / shard - 1)).toBeLessThan(0.25);
  }
});

it('ends when the limit of the service and the reading allow it, where nothing is lost', () => {
  const { seconds, restarts, unknown } = ended(
    { records: 1e6, shards: 1, isSplit: false },
    { requestsPerSecond: 100 },
  );
  expect(seconds).toBeCloseTo(0.4 + 5 + 100);
  expect({ restarts, unknown }).toEqual({ restarts: 0, unknown: 0 });
});

it('reads everything again after each loss, which a shard that reads longer than machines live never ends', () => {
  const one = { records: 1e10, shards: 250, isSplit: false };
  const around = { requestsPerSecond: 100, secondsToLoss: 3_600 };
  expect(ended(one, around).isEndless).toBe(true);
  expect(ended({ ...one, isSplit: true }, around).isEndless).toBe(false);
  const daily = ended(one, { ...around, secondsToLoss: 86_400 });
  expect(daily.restarts).toBeGreaterThan(1_000);
  expect(daily.seconds).toBeGreaterThan(ended(one, { requestsPerSecond: 100 }).seconds);
});

it('gives the table of the documentation', () => {
  expect(page).toContain(scaleTable());
});
