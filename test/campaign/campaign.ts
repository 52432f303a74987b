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
 * The long versions of tests: more kills, from a seed that can be given again, and more states. Prints one line a round
 * and exits 1 where a promise was broken.
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
    weight: { type: 'string', default: 'Infinity' },
    minutes: { type: 'string' },
  },
});

/** How long a campaign may begin something new; without the option, for as long as its other bounds allow. */
const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
const untilMs = systemClock.monotonicMs() + (minutes ?? Number.POSITIVE_INFINITY) * 60_000;
const isTimeOver = () => systemClock.monotonicMs() > untilMs;

/** The kind of service that pushes and settlements run against. */
const persona = personaNames.find((name) => name === values.persona);
if (values.persona !== undefined && persona === undefined) {
  throw new Error(`the personas are: ${personaNames.join(', ')}`);
}

/** Kills of one round, which has one input and one sandbox. */
const killsPerRound = 10;
/** So many rounds in a row without one kill mean that whatever is to be killed ends before. */
const idleRoundsMaximum = 5;

/** The long version of `kills.campaign.ts`. False where a promise was broken, or nothing could be killed. */
async function pushCampaign(): Promise<boolean> {
  const wanted = Number(values.kills);
  let killed = 0;
  let broken = 0;
  let idle = 0;
  for (
    let seed = Number(values.seed);
    killed < wanted && idle < idleRoundsMaximum && !isTimeOver();
    seed += 1
  ) {
    const report = await killRound({
      seed,
      kills: Math.min(killsPerRound, wanted - killed),
      itemCount: Number(values.items),
      persona,
      faults: { throttle: 0.02, error: 0.02, 'reset-before': 0.02, 'reset-after': 0.02, torn: 0.02 },
    });
    killed += report.killed;
    broken += report.violations.length;
    idle = report.killed === 0 ? idle + 1 : 0;
    console.log(
      `seed ${seed}: killed ${report.killed}, unknown ${report.unknown}, broken promises ${report.violations.length}`,
    );
    for (const violation of report.violations) console.log(`  ${violation}`);
  }
  console.log(`${killed} kills, ${broken} broken promises`);
  return broken === 0 && (killed === wanted || (isTimeOver() && killed > 0));
}

/** The long version of `settle-kills.campaign.ts`, or of the one over PostgreSQL, likewise. */
async function settleCampaign(): Promise<boolean> {
  const bin = values.postgres ? findPostgres() : undefined;
  if (values.postgres && bin === undefined) throw new Error('PostgreSQL is not installed');
  const server = bin === undefined ? undefined : await makePostgres(bin);
  try {
    return await settleRounds(server);
  } finally {
    await server?.remove();
  }
}

async function settleRounds(server: PostgresServer | undefined): Promise<boolean> {
  const wanted = Number(values.kills);
  const total = { killed: 0, paid: 0, calls: 0, unknown: 0, broken: 0 };
  let idle = 0;
  for (
    let seed = Number(values.seed);
    total.killed < wanted && idle < idleRoundsMaximum && !isTimeOver();
    seed += 1
  ) {
    const report = await settleRound({
      seed,
      kills: Math.min(killsPerRound, wanted - total.killed),
      // What people do to a file is not done to a server.
      hasPerson: server === undefined,
      persona,
      server,
    });
    const { killed, paid, calls, unknown, acts, violations } = report;
    total.killed += killed;
    total.paid += paid;
    total.calls += calls;
    total.unknown += unknown;
    total.broken += violations.length;
    idle = killed === 0 ? idle + 1 : 0;
    console.log(
      `seed ${seed}: killed ${killed}, paid ${paid} with ${calls} calls, unknown ${unknown}, a person did ${acts.join(', ')}; broken promises ${violations.length}`,
    );
    for (const violation of violations) console.log(`  ${violation}`);
  }
  console.log(
    `${total.killed} kills, ${total.paid} payments with ${total.calls} calls, ${total.unknown} unknown, ${total.broken} broken promises`,
  );
  return total.broken === 0 && (total.killed >= wanted || (isTimeOver() && total.killed > 0));
}

/** The long version of `machines.campaign.ts`; each round prints what happened in it if a promise was broken. */
async function machinesCampaign(): Promise<boolean> {
  const bin = findPostgres();
  if (bin === undefined) throw new Error('PostgreSQL is not installed');
  const server = await makePostgres(bin);
  try {
    return await machinesRounds(server, bin);
  } finally {
    await server.remove();
  }
}

async function machinesRounds(server: PostgresServer, bin: string): Promise<boolean> {
  const first = Number(values.seed);
  const total = { killed: 0, paid: 0, calls: 0, doubles: 0, broken: 0 };
  for (let seed = first; seed < first + Number(values.rounds) && !isTimeOver(); seed += 1) {
    const report = await machinesRound({ seed, server, bin });
    const { fate, killed, crashes, paid, calls, doublesBefore, doublesAfter, violations } = report;
    total.killed += killed;
    total.paid += paid;
    total.calls += calls;
    total.doubles += doublesBefore + doublesAfter;
    total.broken += violations.length;
    console.log(
      `seed ${seed}, ${fate}: killed ${killed}, crashed ${crashes}, paid ${paid} with ${calls} calls, paid twice ` +
        `${doublesBefore} before and ${doublesAfter} after people had mended it; broken promises ${violations.length}`,
    );
    for (const violation of violations) console.log(`  ${violation}`);
    if (violations.length === 0 && values.rounds !== '1') continue;
    for (const line of report.log) console.log(`  ${line}`);
    console.log(`  again: npm run campaign -- machines --rounds 1 --seed ${seed}`);
  }
  console.log(
    `${total.killed} kills, ${total.paid} payments with ${total.calls} calls, ${total.doubles} doubles, ${total.broken} broken promises`,
  );
  return total.broken === 0 && total.killed > 0;
}

/** Loses power at every point of so many settlements and pushes. Needs `strace`. */
async function powerCampaign(): Promise<boolean> {
  if (!hasStrace()) throw new Error('the campaign of power needs strace: apt-get install strace');
  const first = Number(values.seed);
  let broken = 0;
  for (let seed = first; seed < first + Number(values.rounds) && !isTimeOver(); seed += 1) {
    const report = await powerRound(seed);
    broken += report.broken.length;
    console.log(
      `seed ${seed}: ${report.cuts} losses of power around ${report.calls} calls and ${report.words} words, broken promises ${report.broken.length}`,
    );
    const push = await pushPowerRound(seed);
    broken += push.broken.length;
    console.log(
      `seed ${seed}: ${push.cuts} losses of power around ${push.items} order items, broken promises ${push.broken.length}`,
    );
    for (const violation of [...report.broken, ...push.broken]) console.log(`  ${violation}`);
  }
  return broken === 0;
}

/** Settles across midnight, so many times, some of which have to pay on both days. Needs `faketime`. */
async function midnightCampaign(): Promise<boolean> {
  const library = faketimeLibrary();
  if (library === undefined)
    throw new Error('the campaign of midnight needs faketime: apt-get install faketime');
  const first = Number(values.seed);
  let broken = 0;
  let crossed = 0;
  for (let seed = first; seed < first + Number(values.rounds) && !isTimeOver(); seed += 1) {
    const report = await midnightRound(seed, library);
    broken += report.broken.length;
    crossed += report.days.length > 1 ? 1 : 0;
    console.log(
      `seed ${seed}: paid on ${report.days.join(' and ')}, broken promises ${report.broken.length}`,
    );
    for (const violation of report.broken) console.log(`  ${violation}`);
  }
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
      weightMaximum: Number(values.weight),
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
