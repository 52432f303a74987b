import { systemClock } from '../../src/base/clock.ts';
import { messageOf } from '../../src/base/failure.ts';
import { type Random, seededRandom } from '../../src/base/random.ts';
import type { PostgresServer } from '../store/postgres-server.ts';
import { addFigures } from './figures.ts';
import { LedgerServer } from './ledger-server.ts';
import { endure, type Fate, fates } from './machine-fates.ts';
import { type MachineName, Machines, machineEnvironment, machineNames, settleWords } from './machines.ts';
import { endHangingPayers, lateMs, loggedPayments, waitingRewards } from './service-and-payer.ts';
import { openSettlePlace } from './settle-place.ts';

export interface MachinesRound {
  /** Determines the disaster, the kills and their times, and the faults of the payer. */
  readonly seed: number;
  readonly server: PostgresServer;
  /** The folder of the server's programs. */
  readonly bin: string;
}

export interface MachinesReport {
  readonly fate: Fate;
  readonly killed: number;
  readonly crashes: number;
  /** Payments made, and calls of the payer needed for them. */
  readonly paid: number;
  readonly calls: number;
  /** Repeated payments of a reward, before and after the person has repaired the ledger. */
  readonly doublesBefore: number;
  readonly doublesAfter: number;
  /** The events, in order. */
  readonly log: readonly string[];
  readonly violations: readonly string[];
}

const rewardsAtFirst = 12;
const crashesMaximum = 1;
const crashShare = 0.2;
const strikePauseMs = 1_500;
const strikePauseMostMs = 3_000;

/**
 * Four machines settle with one ledger in PostgreSQL and a payer that is idempotent for as long as it remembers keys.
 * Processes are killed and the server crashes. Once per round, the ledger suffers a disaster that people must handle.
 * Then all faults stop, each machine runs once more, and the checker judges the logs.
 */
export async function machinesRound({ seed, server, bin }: MachinesRound): Promise<MachinesReport> {
  const fate = fates[seed % fates.length] ?? 'statement';
  const place = await openSettlePlace({
    seed,
    products: 5,
    orders: 100,
    reviews: rewardsAtFirst,
    latencyMs: 2,
    assumptions: {
      webhookRedelivery: 'always',
      rewardStatusAfterWebhook: seed % 3 === 0 ? 'changes' : 'stays',
    },
    isIdempotent: true,
    server,
    flags: ['-c', 'concurrency=4'],
    init: (folder) => ({
      env: machineEnvironment(folder, 'm0'),
      ...(fate === 'move' ? { ledgerFlags: [] } : {}),
    }),
  });
  const machines = new Machines(place, seed);
  const ledger = new LedgerServer(server, bin, place.schema);
  const adversity = new Adversity(machines, ledger, seededRandom(seed + 1_000_000));
  try {
    let soundMs = Number.POSITIVE_INFINITY;
    let person: MachineName = 'm0';
    try {
      ({ soundMs, person } = await endure[fate](machines, ledger));
    } catch (error) {
      machines.noteTrouble(messageOf(error));
    }
    await adversity.end();
    const violations = [...(await judge(machines, person)), ...machines.troubles];
    return reportOf(machines, { fate, soundMs, crashes: adversity.crashes, violations });
  } finally {
    await adversity.end();
    endHangingPayers(place);
    await place.close();
  }
}

/** Faults of the machines and the server, besides the disaster of the ledger. */
class Adversity {
  readonly #machines: Machines;
  readonly #ledger: LedgerServer;
  readonly #random: Random;
  readonly #over = new AbortController();
  readonly #striking: Promise<void>;
  #crashes = 0;

  constructor(machines: Machines, ledger: LedgerServer, random: Random) {
    this.#machines = machines;
    this.#ledger = ledger;
    this.#random = random;
    this.#striking = this.#strike().catch((error: unknown) => machines.noteTrouble(messageOf(error)));
  }

  get crashes(): number {
    return this.#crashes;
  }

  async end(): Promise<void> {
    this.#over.abort();
    await this.#striking;
    await this.#machines.loops.end();
  }

  async #strike(): Promise<void> {
    while (await this.#pause()) {
      if (this.#random() >= crashShare || this.#crashes >= crashesMaximum) await this.#machines.killOne();
      else {
        this.#crashes += 1;
        this.#machines.note('the server crashes');
        await this.#ledger.crash();
      }
    }
  }

  /** False if the round ended meanwhile. */
  #pause(): Promise<boolean> {
    const ms = strikePauseMs + this.#random() * strikePauseMostMs;
    return systemClock.sleep(ms, this.#over.signal).then(
      () => true,
      () => false,
    );
  }
}

/** Runs every machine alone, then judges the logs. */
async function judge(machines: Machines, person: MachineName): Promise<readonly string[]> {
  const { place } = machines;
  await systemClock.sleep(lateMs);
  endHangingPayers(place);
  const calm = machines.on(person, { isCalm: true });
  try {
    const exitCodes = [...(await place.settleAlone(calm))];
    const unknown = await place.resolveByBooks([], calm);
    if (unknown > 0) exitCodes.push(...(await place.settleAlone(calm)));
    const others = machineNames.filter((name) => name !== person);
    await Promise.all(others.map((name) => machines.expect(name, settleWords, [0, 6], { isCalm: true })));
    const judgement = { isClockSteady: true, areMachines: true, killed: machines.killed };
    const waiting = waitingRewards(place.served).map((id) => `reward ${id} still waits at the end`);
    return [...(await place.judge(judgement)), ...wrongEnd(exitCodes), ...waiting];
  } catch (error) {
    return [`the end cannot be judged: ${messageOf(error)}`];
  }
}

function wrongEnd(exitCodes: readonly (number | null)[]): readonly string[] {
  const last = exitCodes.at(-1);
  return last === 0 || last === 6 ? [] : [`the runs at the end had the exit codes ${exitCodes.join(', ')}`];
}

interface Course {
  readonly fate: Fate;
  readonly soundMs: number;
  readonly crashes: number;
  readonly violations: readonly string[];
}

function reportOf(machines: Machines, { fate, soundMs, crashes, violations }: Course): MachinesReport {
  const effects = machines.effects();
  const doubles = effects.filter(
    ({ reward }, index) => effects.findIndex((effect) => effect.reward === reward) < index,
  );
  const after = doubles.filter(({ atMs }) => atMs > soundMs).length;
  const killed = machines.killed.length;
  addFigures('machines', { kills: killed, faults: crashes, violations: violations.length });
  return {
    fate,
    killed,
    crashes,
    paid: effects.length,
    calls: loggedPayments(machines.place, 'CALL').length,
    doublesBefore: doubles.length - after,
    doublesAfter: after,
    log: machines.log,
    violations,
  };
}
