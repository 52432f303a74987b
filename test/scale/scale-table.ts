import { seededRandom } from '../../src/base/random.ts';
import { counted } from '../../src/output/terminal/totals.ts';
import {
  type Costs,
  type Import,
  recordsPerRequest,
  type Simulated,
  type Surroundings,
  simulateImport,
} from './simulate-import.ts';

/** As `docs/scale.md` gives them, from imports of ten thousand to ten million records. */
export const measuredCosts: Costs = {
  startSeconds: 0.4,
  checkSeconds: 5e-6,
  sendSeconds: 8e-6,
  elsewhereSeconds: 1.4e-6,
  journalBytes: 63,
};

const day = 86_400;
const hour = 3_600;
/** Losses of a machine that are simulated. */
const losses: readonly number[] = [Number.POSITIVE_INFINITY, day, hour];
/** Each import is simulated so often; the median counts. */
const simulations = 21;

const around: Omit<Surroundings, 'secondsToLoss'> = {
  requestsPerSecond: 100,
  restartSeconds: 60,
  answerSeconds: 0.2,
};

/** The most records whose ids one process holds in a run. */
const recordsOfOne = 40_000_000;

const imports: readonly Import[] = [
  ...[4, 5, 6, 7, 8, 9, 10].map((power) => ({ records: 10 ** power, isSplit: false })),
  { records: 10 ** 10, isSplit: true },
].map((one) => ({ ...one, shards: Math.ceil(one.records / recordsOfOne) }));

/** The table of `docs/scale.md` on imports that lose machines, simulated from one seed. */
export function scaleTable(): string {
  const rows = imports.map((one) => {
    const ends = losses.map((secondsToLoss) => medianOf(one, { ...around, secondsToLoss }));
    const [, daily] = ends;
    return [
      `10${superscript(Math.round(Math.log10(one.records)))}${one.isSplit ? ', split beforehand' : ''}`,
      String(one.shards),
      (one.records / recordsPerRequest).toLocaleString('en'),
      ...ends.map((end) => (end.isEndless ? 'over a year' : durationInWords(end.seconds))),
      `${counted(daily?.restarts ?? 0, 'restart')}, ${counted(daily?.unknown ?? 0, 'record')}`,
    ];
  });
  const header = [
    'records',
    'shards',
    'requests',
    'no loss',
    'each machine lost once a day',
    'once an hour',
    'of once a day: restarts, and records whose outcome is unknown',
  ];
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function medianOf(one: Import, surroundings: Surroundings): Simulated {
  const random = seededRandom(1);
  const ends = Array.from({ length: simulations }, () =>
    simulateImport(one, measuredCosts, surroundings, random),
  ).toSorted((a, b) => a.seconds - b.seconds);
  const median = ends[ends.length >> 1];
  if (median === undefined) throw new Error('nothing was simulated');
  return median;
}

function superscript(power: number): string {
  return String(power).replaceAll(/\d/g, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)] ?? digit);
}

function durationInWords(seconds: number): string {
  const units = [
    { name: 'days', seconds: day },
    { name: 'h', seconds: hour },
    { name: 'min', seconds: 60 },
    { name: 's', seconds: 1 },
  ] as const;
  const unit = units.find((one) => seconds >= 2 * one.seconds) ?? units[3];
  return `${Number((seconds / unit.seconds).toPrecision(3))} ${unit.name}`;
}
