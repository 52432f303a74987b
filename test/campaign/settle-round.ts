import type { ChildProcess } from 'node:child_process';
import { systemClock } from '../../src/base/clock.ts';
import { type Random, seededRandom } from '../../src/base/random.ts';
import type { FaultRates } from '../../src/sandbox/faults/faults.ts';
import { type PersonaName, personas, sandboxAs } from '../../src/sandbox/personas.ts';
import type { PostgresServer } from '../store/postgres-server.ts';
import { addFigures } from './figures.ts';
import { endHangingPayers, hasBugs, lateMs, waitingRewards, writeReviews } from './service-and-payer.ts';
import { type acts, Person } from './settle-person.ts';
import { openSettlePlace, type SettlePlace, type Settler } from './settle-place.ts';
import { SettlerLoops } from './settler-loops.ts';

export interface SettleRound {
  /** Determines the kills and their times, the faults, and the kind of round. */
  readonly seed: number;
  readonly kills: number;
  /** True if a person also handles the ledger as people do, and the payer always fails for one reward. */
  readonly hasPerson?: boolean;
  /** The kind of service it settles with. */
  readonly persona?: PersonaName | undefined;
  /** The server of the ledger, which also crashes; left out for a file. */
  readonly server?: PostgresServer | undefined;
}

export interface SettleReport {
  readonly killed: number;
  /** Number of crashes of the ledger's server, of sessions ended, and of processes suspended. */
  readonly struck: number;
  /** Payments made, and calls of the payer needed for them. */
  readonly paid: number;
  readonly calls: number;
  readonly unknown: number;
  /** The acts of the person, in order. */
  readonly acts: readonly (typeof acts)[number][];
  readonly violations: readonly string[];
}

/** The service's faults during the kills. */
const serviceFaults: FaultRates = {
  throttle: 0.01,
  error: 0.02,
  'error-after': 0.03,
  'reset-before': 0.02,
  'reset-after': 0.03,
  torn: 0.02,
  'wrong-type': 0.01,
};
/** The payer's faults, as named in `logging-payer.mjs`. */
const payerFaults =
  'retry=0.04,crash-before=0.04,crash-after=0.07,silent=0.07,late=0.06,hang=0.02,orphan-before=0.02,orphan-after=0.02';

const rewardsAtFirst = 24;
/** Reviews written between two kills, each with a reward that the webhook announces. */
const reviewsBetween = 3;
const hourMs = 3_600_000;
/** The size of clock jumps, forward or back. */
const jumpMs = 2 * hourMs;
/** Longer than any claim lasts. */
const leaseMs = 10 * 60_000;
/** The next kill comes after at most this many new lines of the payer's log, or after a time limit. */
const linesMost = 12;
const instantMs = 1_000;
/** The share of faults that hit a process waiting for the payer, if there is one. */
const callingShare = 0.7;
/** Maximum faults per round, successful or not. */
const strikesMaximum = 200;
/** Sets the draws of the person apart from those of the storm. */
const personSeed = 1_000_000;

/** The properties in which rounds differ, so that a few rounds cover all combinations. */
function kindOf(seed: number, isShared: boolean) {
  return {
    // Several machines need an idempotent payer.
    isIdempotent: isShared || seed % 2 === 0,
    // A server refuses a process with a different clock.
    hasJumps: seed % 3 === 0 && !isShared,
    isCapped: seed % 4 === 3,
    changes: seed % 5 < 3,
  };
}

/** Short enough that a suspended process resumes too late. */
const claimLease = '400ms';

/** Ends one of the program's sessions; `number` is taken modulo their count. */
const endOneSession = (number: number) =>
  `SELECT pg_terminate_backend(pid) FROM (SELECT pid, row_number() OVER (ORDER BY pid) AS place, count(*) OVER () AS count
    FROM pg_stat_activity WHERE application_name LIKE 'reviewctl%') AS sessions WHERE place = 1 + ${number} % count`;

/** The cap of a day, low enough to be reached. */
const dayCap = '15000';

/**
 * Two settlers, a receiver and a person who triggers single rewards use one ledger, with a faulty service and a faulty
 * payer. Processes are killed with -9, suspended past their lease, or get their clock moved, while a person restores,
 * copies, links and moves the ledger. Then all faults stop, the program runs alone, and the checker judges the logs.
 */
export async function settleRound({
  seed,
  kills,
  hasPerson = false,
  persona,
  server,
}: SettleRound): Promise<SettleReport> {
  const { isIdempotent, hasJumps, isCapped, changes } = kindOf(seed, server !== undefined);
  const capFlags = isCapped ? ['-c', `max-amount-per-day=${dayCap}`] : [];
  const place = await openSettlePlace({
    ...sandboxAs(persona, {
      seed,
      products: 10,
      orders: 200,
      reviews: rewardsAtFirst,
      latencyMs: 2,
      faults: serviceFaults,
      assumptions: {
        webhookRedelivery: 'always',
        rewardStatusAfterWebhook: changes ? 'changes' : 'stays',
      },
    }),
    isIdempotent,
    server,
    client: persona === undefined ? [] : personas[persona].client,
    flags: ['-c', 'concurrency=4', ...capFlags],
  });
  const poisoned = hasPerson ? waitingRewards(place.served).slice(0, 1) : [];
  const storm = new Storm(place, seed, { kills, hasJumps, hasPerson, poisoned, capFlags, server });
  // A call made in the future is in doubt until then, so the clocks of an idempotent payer are not set back at the end.
  const calm = () => ({
    env: { PAYER_POISONED: poisoned.join() },
    clockOffsetMs: isIdempotent ? storm.latestClockMs : 0,
  });
  try {
    const killed = await storm.rage();
    place.served.sandbox.faults.rates = {};
    await systemClock.sleep(lateMs);
    endHangingPayers(place);
    const exitCodes = [...(await place.settleAlone(calm()))];
    await systemClock.sleep(lateMs);
    const unknown = await place.resolveByBooks(poisoned);
    if (unknown > 0) exitCodes.push(...(await place.settleAlone(calm())));
    const lines = place.payments();
    const judgement = {
      isClockSteady: !hasJumps,
      killed: storm.killedProcesses,
      poisoned,
      ...(isCapped ? { maxPerDay: dayCap } : {}),
    };
    const violations = [
      ...(await place.judge(judgement)),
      ...wrongExits(exitCodes, isCapped),
      ...storm.troubles,
    ];
    addFigures('settle', { kills: killed, violations: violations.length });
    return {
      killed,
      struck: storm.struck,
      paid: lines.filter(({ what }) => what === 'EFFECT').length,
      calls: lines.filter(({ what }) => what === 'CALL').length,
      unknown,
      acts: storm.acts,
      violations,
    };
  } finally {
    await storm.end();
    endHangingPayers(place);
    await place.close();
  }
}

/** An undisturbed run must end with an exit code that a cron job expects. */
function wrongExits(exitCodes: readonly (number | null)[], isCapped: boolean): string[] {
  const expected = new Set([0, 6, ...(isCapped ? [7] : [])]);
  const last = exitCodes.at(-1) ?? null;
  return last !== null && expected.has(last)
    ? []
    : [`the runs at the end had the exit codes ${exitCodes.join(', ')}`];
}

interface StormOptions {
  readonly kills: number;
  readonly hasJumps: boolean;
  readonly hasPerson: boolean;
  readonly poisoned: readonly string[];
  readonly capFlags: readonly string[];
  readonly server: PostgresServer | undefined;
}

/** The processes of one round, and the faults that hit them. */
class Storm {
  readonly #place: SettlePlace;
  readonly #random: Random;
  readonly #options: StormOptions;
  readonly #person: Person;
  readonly #loops: SettlerLoops;
  readonly #killed: number[] = [];
  readonly #troubles: string[] = [];
  /** Faults pause until it resolves. */
  #pause: Promise<void> | undefined;
  #latestClockMs = 0;
  #struck = 0;

  constructor(place: SettlePlace, seed: number, options: StormOptions) {
    this.#place = place;
    this.#random = seededRandom(seed);
    this.#options = options;
    this.#loops = new SettlerLoops({
      watch: (name) => this.#watch(name),
      noteTrouble: (trouble) => this.#troubles.push(trouble),
    });
    this.#person = new Person(place, {
      random: seededRandom(seed + personSeed),
      capFlags: options.capFlags,
      surroundings: () => this.#surroundings(),
      writeReviews: () => writeReviews(place, reviewsBetween),
      alone: (body) => this.#alone(body),
      noteEnd: (settler) => this.#noteEnd(settler),
    });
  }

  /** Ids of processes killed by this round or by the payer. */
  get killedProcesses(): readonly number[] {
    return this.#killed;
  }

  /** The furthest that any clock was ahead. */
  get latestClockMs(): number {
    return this.#latestClockMs;
  }

  /** Errors printed by processes that nobody should ever see. */
  get troubles(): readonly string[] {
    return [...this.#troubles, ...this.#person.troubles];
  }

  get acts() {
    return this.#person.done;
  }

  get struck(): number {
    return this.#struck;
  }

  /** Returns the number of killed processes. */
  async rage(): Promise<number> {
    const settle = ['rewards', 'settle', '-o', 'none', '-c', 'retries=1', '-c', 'lock-wait=500ms'];
    this.#loops.keepUp('settler A', () => this.#start(settle));
    this.#loops.keepUp('settler B', () => this.#start(settle));
    this.#loops.keepUp('trigger', () =>
      this.#start(['rewards', 'settle', this.#anyReward(), '-o', 'none', '-c', 'retries=1']),
    );
    this.#loops.keepUp('receiver', () => this.#place.startReceiver(this.#surroundings()));
    const person = this.#options.hasPerson ? this.#person.doAll() : undefined;
    let kills = 0;
    for (let strike = 1; kills < this.#options.kills && strike <= strikesMaximum; strike += 1) {
      await this.#pause;
      await writeReviews(this.#place, reviewsBetween);
      await this.#instant();
      kills += await this.#strike();
    }
    await person;
    await this.end();
    return kills;
  }

  /** Lets all processes end, runs `body`, and starts them again. */
  async #alone<T>(body: () => Promise<T>): Promise<T> {
    let goOn = () => {};
    this.#pause = new Promise((resolve) => {
      goOn = resolve;
    });
    const wake = await this.#loops.rest();
    try {
      endHangingPayers(this.#place);
      return await body();
    } finally {
      this.#pause = undefined;
      goOn();
      wake();
    }
  }

  /** Ends all processes that this round started, by their handles. */
  end(): Promise<void> {
    return this.#loops.end();
  }

  #watch(name: string) {
    const { disturbances } = this.#person;
    return (settler: Settler, exitCode: number | null) => {
      this.#noteEnd(settler);
      const isRefusedRightly = disturbances === undefined || disturbances !== this.#person.disturbances;
      if (exitCode === 1 || hasBugs(settler))
        this.#troubles.push(`${name} ended with ${exitCode}: ${settler.stderr()}`);
      if (exitCode === 12 && !isRefusedRightly)
        this.#troubles.push(`${name} was refused for nothing: ${settler.stderr()}`);
    };
  }

  #start(words: readonly string[]): Settler {
    return this.#place.start([...words, ...this.#person.addressFlags()], this.#surroundings());
  }

  #surroundings() {
    const ahead = this.#options.hasJumps ? Math.floor(this.#random() * 3) - 1 : 0;
    return {
      env: {
        PAYER_FAULTS: payerFaults,
        PAYER_REFUSED: '0.1',
        PAYER_DELAY_MS: '40',
        PAYER_POISONED: this.#options.poisoned.join(),
        ...(this.#options.server === undefined ? {} : { REVIEWCTL_CLAIM_LEASE: claimLease }),
      },
      clockOffsetMs: this.#clock(ahead * jumpMs),
    };
  }

  #clock(offsetMs: number): number {
    this.#latestClockMs = Math.max(this.#latestClockMs, offsetMs);
    return offsetMs;
  }

  #anyReward(): string {
    const ids = [...this.#place.served.sandbox.state.rewards.values()].map(({ id }) => id);
    return ids[Math.floor(this.#random() * ids.length)] ?? '1';
  }

  /** Waits for a random number of the payer's actions. */
  async #instant(): Promise<void> {
    const lines = this.#place.payments().length + 1 + Math.floor(this.#random() * linesMost);
    const untilMs = Date.now() + instantMs;
    while (this.#place.payments().length < lines && Date.now() < untilMs) await systemClock.sleep(3);
    await systemClock.sleep(Math.floor(this.#random() * 40));
  }

  /** Applies a fault to one process; returns 1 for a kill. */
  async #strike(): Promise<number> {
    const chance = this.#random();
    const victim = this.#victim();
    if (victim?.child.exitCode !== null || victim.child.signalCode !== null) return 0;
    const { child, setClock } = victim;
    if (this.#options.hasJumps && chance < 0.2) {
      setClock(this.#clock(chance < 0.1 ? jumpMs : -jumpMs));
      return 0;
    }
    if (this.#options.hasJumps && chance < 0.35) {
      child.kill('SIGSTOP');
      addFigures('settle', { suspensions: 1 });
      setClock(this.#clock(leaseMs));
      await systemClock.sleep(200 + Math.floor(this.#random() * 800));
      child.kill('SIGCONT');
      return 0;
    }
    if (this.#options.server !== undefined && chance < 0.5) {
      await this.#strikeShared(this.#options.server, child, chance);
      return 0;
    }
    child.kill('SIGKILL');
    await victim.ended;
    return 1;
  }

  /** Crashes the server, ends a session, or suspends a process for longer than its claims last. */
  async #strikeShared(server: PostgresServer, child: ChildProcess, chance: number): Promise<void> {
    this.#struck += 1;
    if (chance < 0.2) {
      child.kill('SIGSTOP');
      addFigures('settle', { suspensions: 1 });
      await systemClock.sleep(200 + Math.floor(this.#random() * 800));
      child.kill('SIGCONT');
      return;
    }
    // A process that loses its session loses its claims, as if killed.
    for (const living of this.#loops.living.values()) this.#noteKilled(living.child.pid);
    if (chance < 0.4) await server.ask(endOneSession(Math.floor(this.#random() * 100)));
    else {
      await server.stop('immediate');
      await server.start();
    }
  }

  /** Prefers a process with a payer call in progress. */
  #victim(): Settler | undefined {
    const lines = this.#place.payments();
    const hasAnswer = new Set(lines.filter(({ what }) => what === 'ANSWER').map(({ pid }) => pid));
    const callers = new Set(
      lines.filter(({ what, pid }) => what === 'CALL' && !hasAnswer.has(pid)).map(({ caller }) => caller),
    );
    const living = [...this.#loops.living.values()];
    const calling = living.filter(({ child: { pid } }) => pid !== undefined && callers.has(pid));
    const victims = calling.length > 0 && this.#random() < callingShare ? calling : living;
    return victims[Math.floor(this.#random() * victims.length)];
  }

  #noteEnd({ child }: Settler): void {
    if (child.signalCode === 'SIGKILL') this.#noteKilled(child.pid);
  }

  #noteKilled(pid: number | undefined): void {
    if (pid !== undefined) this.#killed.push(pid);
  }
}
