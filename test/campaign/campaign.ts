import { parseArgs } from 'node:util';
import { systemClock } from '../../src/base/clock.ts';
import { personaNames } from '../../src/sandbox/personas.ts';
import { fuzzCampaign } from '../fuzz/fuzz-campaign.ts';
import { mutantsCampaign } from '../mutants/mutants-campaign.ts';
import { findPostgres, makePostgres, type PostgresServer } from '../store/postgres-server.ts';
import { allCampaign } from './all-campaign.ts';
import { killRound } from './kill-round.ts';
import { machinesRound } from './machines-round.ts';
import { faketimeLibrary, midnightRound } from './midnight-campaign.ts';
import { modelCampaign } from './model-campaign.ts';
import { hasStrace, powerRound } from './power-campaign.ts';
import { pushPowerRound } from './push-power-campaign.ts';
import { runtimesCampaign } from './runtimes.ts';
import { schedulesCampaign } from './schedules-campaign.ts';
import { settleRound } from './settle-round.ts';

/*
 * The long versions of tests: more kills, from a reproducible seed, and more states. Prints one line per round and
 * exits 1 if a promise was broken.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: 'string', default: '200' },
    items: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    states: { type: 'string', default: '1000000' },
    schedules: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '36000' },
    path: { type: 'string' },
    persona: { type: 'string' },
    rounds: { type: 'string', default: '10' },
    postgres: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    sample: { type: 'string' },
    minutes: { type: 'string' },
  },
});

/** Time after which a campaign begins nothing new; without the option, only its other limits apply. */
const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
const untilMs = systemClock.monotonicMs() + (minutes ?? Number.POSITIVE_INFINITY) * 60_000;
const isTimeOver = () => systemClock.monotonicMs() > untilMs;

/** The kind of service that pushes and settlements run against. */
const persona = personaNames.find((name) => name === values.persona);
if (values.persona !== undefined && persona === undefined) {
  throw new Error(`the personas are: ${personaNames.join(', ')}`);
}

/** Kills per round. A round has one input and one sandbox. */
const killsPerRound = 10;
/** After that many rounds in a row without a kill, the program under test ends too early to be killed. */
const idleRoundsMaximum = 5;

/** The report of a round, and each promise that it broke. */
interface Round {
  readonly words: string;
  readonly violations: readonly string[];
}

/** Prints a round, and returns the number of broken promises. */
function tell(seed: number, { words, violations }: Round): number {
  console.log(`seed ${seed}: ${words}; broken promises ${violations.length}`);
  for (const violation of violations) console.log(`  ${violation}`);
  return violations.length;
}

/** Runs rounds of consecutive seeds; returns the number of broken promises. */
async function inRounds(round: (seed: number) => Promise<Round>): Promise<number> {
  const first = Number(values.seed);
  let broken = 0;
  for (let seed = first; seed < first + Number(values.rounds) && !isTimeOver(); seed += 1)
    broken += tell(seed, await round(seed));
  return broken;
}

/**
 * Runs rounds until that many processes were killed. Returns false if a promise was broken, or nothing could be killed.
 */
async function untilKilled(
  round: (seed: number, kills: number) => Promise<Round & { readonly killed: number }>,
): Promise<boolean> {
  const wanted = Number(values.kills);
  let [killed, broken, idle] = [0, 0, 0];
  for (
    let seed = Number(values.seed);
    killed < wanted && idle < idleRoundsMaximum && !isTimeOver();
    seed += 1
  ) {
    const report = await round(seed, Math.min(killsPerRound, wanted - killed));
    killed += report.killed;
    broken += tell(seed, report);
    idle = report.killed === 0 ? idle + 1 : 0;
  }
  console.log(`${killed} kills, ${broken} broken promises`);
  return broken === 0 && (killed >= wanted || (isTimeOver() && killed > 0));
}

/** The long version of `kills.campaign.ts`. */
function pushCampaign(): Promise<boolean> {
  const faults = { throttle: 0.02, error: 0.02, 'reset-before': 0.02, 'reset-after': 0.02, torn: 0.02 };
  return untilKilled(async (seed, kills) => {
    const report = await killRound({ seed, kills, itemCount: Number(values.items), persona, faults });
    return { ...report, words: `killed ${report.killed}, unknown ${report.unknown}` };
  });
}

/** Runs `work` with its own server. */
async function withPostgres<T>(work: (server: PostgresServer, bin: string) => Promise<T>): Promise<T> {
  const bin = findPostgres();
  if (bin === undefined) throw new Error('PostgreSQL is not installed');
  const server = await makePostgres(bin);
  try {
    return await work(server, bin);
  } finally {
    await server.remove();
  }
}

/** The long version of `settle-kills.campaign.ts`, or of its PostgreSQL variant. */
function settleCampaign(): Promise<boolean> {
  return values.postgres ? withPostgres(settleRounds) : settleRounds();
}

function settleRounds(server?: PostgresServer): Promise<boolean> {
  return untilKilled(async (seed, kills) => {
    // The acts of a person need a file, not a server.
    const report = await settleRound({ seed, kills, hasPerson: server === undefined, persona, server });
    const { killed, paid, calls, unknown, acts } = report;
    const words = `killed ${killed}, paid ${paid} with ${calls} calls, unknown ${unknown}, a person did ${acts.join(', ')}`;
    return { ...report, words };
  });
}

/** The long version of `machines.campaign.ts`; prints the log of each round that broke a promise. */
function machinesCampaign(): Promise<boolean> {
  return withPostgres(async (server, bin) => {
    let killed = 0;
    const broken = await inRounds(async (seed) => {
      const report = await machinesRound({ seed, server, bin });
      const { fate, crashes, paid, calls, doublesBefore, doublesAfter, violations } = report;
      killed += report.killed;
      if (violations.length > 0 || values.rounds === '1') {
        for (const line of report.log) console.log(`  ${line}`);
        console.log(`  again: npm run campaign -- machines --rounds 1 --seed ${seed}`);
      }
      const words =
        `${fate}, killed ${report.killed}, crashed ${crashes}, paid ${paid} with ${calls} calls, paid twice ` +
        `${doublesBefore} before and ${doublesAfter} after people had mended it`;
      return { words, violations };
    });
    console.log(`${killed} kills, ${broken} broken promises`);
    return broken === 0 && killed > 0;
  });
}

/** Loses power at every point of several settlements and pushes. Needs `strace`. */
async function powerCampaign(): Promise<boolean> {
  if (!hasStrace()) throw new Error('the campaign of power needs strace: apt-get install strace');
  const broken = await inRounds(async (seed) => {
    const [settled, pushed] = [await powerRound(seed), await pushPowerRound(seed)];
    const words =
      `${settled.cuts} losses of power around ${settled.calls} calls and ${settled.words} words, ` +
      `${pushed.cuts} around ${pushed.items} order items`;
    return { words, violations: [...settled.broken, ...pushed.broken] };
  });
  return broken === 0;
}

/** Settles across midnight several times; some rounds must pay on both days. Needs `faketime`. */
async function midnightCampaign(): Promise<boolean> {
  const library = faketimeLibrary();
  if (library === undefined)
    throw new Error('the campaign of midnight needs faketime: apt-get install faketime');
  let crossed = 0;
  const broken = await inRounds(async (seed) => {
    const { days, broken: violations } = await midnightRound(seed, library);
    if (days.length > 1) crossed += 1;
    return { words: `paid on ${days.join(' and ')}`, violations };
  });
  return broken === 0 && crossed > 0;
}

const campaigns: Readonly<Record<string, () => boolean | Promise<boolean>>> = {
  all: () => allCampaign(minutes ?? 60, names),
  push: pushCampaign,
  settle: settleCampaign,
  machines: machinesCampaign,
  power: powerCampaign,
  midnight: midnightCampaign,
  mutants: () =>
    mutantsCampaign({
      files: names,
      sample: Number(values.sample ?? (names.length > 0 ? Number.POSITIVE_INFINITY : 400)),
      seed: Number(values.seed),
      minutes: minutes ?? 60,
    }),
  model: () => modelCampaign(Number(values.states), isTimeOver),
  runtimes: runtimesCampaign,
  schedules: () =>
    schedulesCampaign({
      schedules: Number(values.schedules),
      seconds: minutes === undefined ? Number(values.seconds) : minutes * 60,
      seed: Number(values.seed),
      path: values.path,
    }),
  fuzz: () =>
    fuzzCampaign({
      minutes: minutes ?? 10,
      seed: Number(values.seed),
      isKept: values.keep,
    }),
};

const [name = '', ...names] = positionals;
const campaign = campaigns[name];
if (campaign === undefined) {
  throw new Error(
    'the campaigns, each with [--minutes N], are: all [NAME…], mutants [FILE…] [--sample N] [--seed S], push [--kills N] [--items N] [--seed S] [--persona NAME], settle [--kills N] [--seed S] [--persona NAME] [--postgres], machines [--rounds N] [--seed S], schedules [--schedules N] [--seconds N] [--seed S] [--path P], power [--rounds N] [--seed S], midnight [--rounds N] [--seed S], model [--states N], runtimes, fuzz [--seed S] [--keep]',
  );
}
process.exitCode = (await campaign()) ? 0 : 1;
