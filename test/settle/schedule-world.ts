import { Failure, messageOf } from '../../src/base/failure.ts';
import { seededRandom } from '../../src/base/random.ts';
import { settleRewards } from '../../src/settle/flow/settle-rewards.ts';
import type { Settlement } from '../../src/settle/flow/settlement.ts';
import { reconcile } from '../../src/settle/manual/reconcile.ts';
import { resolveReward } from '../../src/settle/manual/resolve-reward.ts';
import type { Policy } from '../../src/settle/rules/policy.ts';
import type { ManualOutcome } from '../../src/settle/rules/transitions.ts';
import { createWebhookAnswers, type WebhookAnswers } from '../../src/settle/webhook/answer-webhook.ts';
import type { Ledger } from '../../src/store/ledger/ledger.ts';
import { isLedgerFailure } from '../../src/store/ledger/ledger-failure.ts';
import { type LogLine, type LoneRun, linesOf } from '../campaign/settlement-logs.ts';
import { violationsOf } from '../campaign/settlement-rules.js';
import { openPolicy } from './open-policy.ts';
import { Schedule, type ScheduleChoices } from './schedule.ts';
import type { ScheduleGround } from './schedule-ground.ts';
import type { LedgerSeat, ScheduleDisk, ScheduleLedgers } from './schedule-ledgers.ts';
import { idempotentForMs, type PayerHabits, SchedulePayer } from './schedule-payer.ts';
import { rewardId, ScheduleService, type ServiceHabits } from './schedule-service.ts';

/** Actions of a person. */
export type PersonDeed = 'freeze' | 'unfreeze' | 'resolve' | 'reconcile';

/** The participants of a schedule, their actions, and the faults. */
export interface Scenario extends ScheduleChoices {
  readonly payer: Omit<PayerHabits, 'poisoned'> & { readonly isPoisoned: boolean };
  readonly service: ServiceHabits;
  readonly settlers: number;
  /** Number of runs of each settler. */
  readonly runs: number;
  readonly concurrency: number;
  /** The rewards for which the service calls the receiver, by number; without any there is no receiver. */
  readonly calls: readonly number[];
  readonly deeds: readonly PersonDeed[];
  readonly kills: number;
  /** True if someone copies the ledger and makes the copy the one in use. */
  readonly isMoved: boolean;
  /** Leaps of time, in milliseconds. */
  readonly leaps: readonly number[];
  readonly disk: ScheduleDisk;
  readonly capped: 'nothing' | 'day' | 'run';
}

/** One process, from its start to its end. */
interface Life {
  readonly run: string;
  readonly seat: LedgerSeat;
  readonly settlement: Settlement;
  isOver: boolean;
  /** Resolves when it is killed. */
  readonly killed: Promise<void>;
  readonly kill: () => void;
}

/** A minute before midnight in Korea. */
const startMs = Date.UTC(2026, 0, 1, 14, 59);
/** The amount of one and a half rewards. */
const cap = 1_500_000n;
const calmRuns = 3;
const slowPercent = 20;

export interface ScheduleEnd {
  /** Every broken promise, in words. */
  readonly broken: readonly string[];
  readonly story: readonly string[];
  readonly payments: number;
  readonly unknown: number;
}

/** Runs one schedule to its end, lets everything settle without faults, and checks the result. */
export async function runSchedule(scenario: Scenario, ground: ScheduleGround): Promise<ScheduleEnd> {
  const schedule = new Schedule(scenario, startMs);
  const world = new ScheduleWorld(scenario, schedule, await ground.openLedgers(schedule, scenario));
  try {
    await world.storm();
    await world.calm();
    return await world.judge();
  } catch (error) {
    return { broken: [messageOf(error)], story: world.story, payments: 0, unknown: 0 };
  } finally {
    await world.close();
  }
}

class ScheduleWorld {
  readonly #scenario: Scenario;
  readonly #schedule: Schedule;
  readonly #logs = { payer: [] as LogLine[], service: [] as LogLine[] };
  readonly #service: ScheduleService;
  readonly #payer: SchedulePayer;
  readonly #lives: Life[] = [];
  readonly #ledgers: ScheduleLedgers;
  readonly #wrong: string[] = [];
  readonly #killed: string[] = [];
  readonly #loneRuns: LoneRun[] = [];
  #receiver: { readonly life: Life; readonly answers: WebhookAnswers } | undefined;

  constructor(scenario: Scenario, schedule: Schedule, ledgers: ScheduleLedgers) {
    this.#scenario = scenario;
    this.#schedule = schedule;
    this.#ledgers = ledgers;
    const poisoned = scenario.payer.isPoisoned ? rewardId(0) : undefined;
    this.#service = new ScheduleService(this.#schedule, scenario.service, (line) =>
      this.#logs.service.push(line),
    );
    this.#payer = new SchedulePayer(this.#schedule, { ...scenario.payer, poisoned }, (line) =>
      this.#logs.payer.push(line),
    );
  }

  get story(): readonly string[] {
    return this.#schedule.story;
  }

  /** Everyone acts at once, with all faults. */
  async storm(): Promise<void> {
    const { settlers, calls, deeds, kills, leaps, isMoved } = this.#scenario;
    for (let settler = 0; settler < settlers; settler += 1)
      this.#begin(this.#keepSettling('AB'[settler] ?? ''));
    if (calls.length > 0) this.#begin(this.#listen());
    for (const reward of calls) this.#begin(this.#announce(rewardId(reward)));
    if (deeds.length > 0) this.#begin(this.#act(deeds));
    this.#begin(this.#strike(kills));
    if (isMoved) this.#begin(this.#move());
    this.#begin(this.#leap(leaps));
    await this.#schedule.run();
  }

  /** Without faults, everyone still running ends. */
  async calm(): Promise<void> {
    this.#schedule.isCalm = true;
    for (const life of this.#lives) if (!life.isOver) this.#end(life);
    await this.#through(this.#settleAlone());
    const { isIdempotent } = this.#scenario.payer;
    if (isIdempotent && !this.#isForgetful) return;
    await this.#through(this.#resolveAll());
  }

  async judge(): Promise<ScheduleEnd> {
    const { ledger } = await this.#ledgers.take('judge');
    const ledgerLines = await linesOf(ledger, this.#loneRuns);
    const { payer, capped, isMoved } = this.#scenario;
    const broken = violationsOf(
      { ...this.#logs, ledger: ledgerLines },
      {
        isIdempotent: payer.isIdempotent && !this.#isForgetful,
        hasEvidence: payer.leavesEvidence,
        isClockSteady: true,
        // A copy may lack the release of a claim; that leaves a doubt, and moves no money.
        killed: isMoved ? this.#lives.map(({ run }) => run) : this.#killed,
        ...(capped === 'day' ? { maxPerDay: '150' } : {}),
        ...(capped === 'run' ? { maxPerRun: '150' } : {}),
      },
    );
    const effects = this.#logs.payer.filter(({ what }) => what === 'EFFECT');
    let unknown = 0;
    for await (const page of ledger.entries({ payment: ['unknown'] })) unknown += page.length;
    return { broken: [...broken, ...this.#wrong], story: this.story, payments: effects.length, unknown };
  }

  async close(): Promise<void> {
    for (const life of this.#lives) this.#schedule.end(life.run);
    await this.#ledgers.close();
  }

  /** True if the payer may have forgotten a key by the end. */
  get #isForgetful(): boolean {
    return this.#scenario.leaps.reduce((sum, ms) => sum + ms, 0) >= idempotentForMs / 2;
  }

  #begin(work: Promise<void>): void {
    work.catch((error: unknown) => this.#wrong.push(`a bug: ${String(error)}`));
  }

  async #through(work: Promise<void>): Promise<void> {
    this.#begin(work);
    await this.#schedule.run();
  }

  /** Starts a process with a new connection or a free one, because opening costs more than everything else. */
  async #live(name: string): Promise<Life> {
    const run = `${name}${this.#lives.length}`;
    await this.#schedule.turn(run, 'begins');
    const seat = await this.#schedule.aside(this.#ledgers.take(run));
    const stopping = new AbortController();
    let kill = () => {};
    const killed = new Promise<void>((resolve) => {
      kill = resolve;
    });
    const caller = { run, isOver: false };
    const settlement: Settlement = {
      ledger: this.#slow(seat.ledger, run),
      payer: this.#payer.openFor(caller),
      service: this.#service.openFor({ run }),
      policy: this.#policy(),
      run,
      beganMs: this.#schedule.clockOf(run).now(),
      isOwnerAlive: async (owner) => this.#lives.some((other) => other.run === owner && !other.isOver),
      claimLeaseMs: 15_000,
      refusedStatus: 'CANCELLED',
      clock: this.#schedule.clockOf(run),
      random: seededRandom(1),
      stopping: stopping.signal,
    };
    const life = Object.assign(caller, { seat, settlement, killed, kill });
    this.#lives.push(life);
    return life;
  }

  /** Delays a process before some of its reads of the ledger. */
  #slow(ledger: Ledger, run: string): Ledger {
    return {
      ...ledger,
      find: async (id) => {
        if (this.#schedule.fails(slowPercent)) await this.#schedule.turn(run, `looks at ${id}`);
        return ledger.find(id);
      },
    };
  }

  #policy(): Policy {
    const { capped } = this.#scenario;
    return {
      ...openPolicy,
      maxPerDay: capped === 'day' ? cap : null,
      maxPerRun: { amount: capped === 'run' ? cap : null, count: null },
    };
  }

  #end(life: Life): void {
    life.isOver = true;
    this.#schedule.end(life.run);
    life.kill();
    if (this.#receiver?.life === life) this.#receiver = undefined;
  }

  /** Ends a process that is done, or whose ledger failed. */
  #leave(life: Life, error?: unknown): void {
    if (life.isOver) return;
    if (error === undefined) this.#ledgers.leave(life.seat);
    else this.#noteError(life, error);
    this.#end(life);
  }

  #noteError(life: Life, error: unknown): void {
    if (!(error instanceof Failure)) this.#wrong.push(`a bug in ${life.run}: ${messageOf(error)}`);
    else if (isLedgerFailure(error)) this.#killed.push(life.run);
  }

  async #keepSettling(name: string): Promise<void> {
    for (let run = 1; run <= this.#scenario.runs; run += 1) {
      const life = await this.#live(name);
      await Promise.race([life.killed, this.#settle(life)]);
    }
  }

  /** Returns true if the run left nothing open. */
  async #settle(life: Life): Promise<boolean> {
    const { concurrency } = this.#scenario;
    const expectation = { total: null, count: null };
    let isDone = true;
    try {
      for await (const { outcome, cause, trouble } of settleRewards(life.settlement, {
        expectation,
        concurrency,
      })) {
        isDone &&= cause === undefined && trouble === undefined && outcome.report === 'confirmed';
      }
      this.#leave(life);
      return isDone;
    } catch (error) {
      this.#leave(life, error);
      return false;
    }
  }

  /** Runs a receiver and, after its end, the next one, for each possible kill. */
  async #listen(): Promise<void> {
    for (let start = 0; start <= this.#scenario.kills; start += 1) {
      const life = await this.#live('receiver');
      const broken = new Promise<unknown>((resolve) => {
        // As in the program, only a failed ledger ends it.
        const onTrouble = (error: unknown) => {
          if (!(error instanceof Failure) || isLedgerFailure(error)) resolve(error);
        };
        const answers = createWebhookAnswers(life.settlement, {
          concurrency: this.#scenario.concurrency,
          onTrouble,
        });
        this.#receiver = { life, answers };
      });
      this.#leave(life, await Promise.race([life.killed, broken]));
    }
  }

  /** The service calls, and once more unless the answer was 200. */
  async #announce(id: string): Promise<void> {
    const called = this.#service.called(id);
    for (let call = 1; call <= 2; call += 1) {
      await this.#schedule.turn('the service', `calls for ${id}`);
      const status = await this.#answerOf(called);
      this.#service.noteAnswer(id, status);
      await this.#schedule.turn('the service', `is answered ${status} for ${id}`);
      this.#service.takeAnswer(id, status);
      if (status === 200) return;
    }
  }

  async #answerOf(called: Parameters<WebhookAnswers['answer']>[0]): Promise<number | null> {
    if (this.#receiver === undefined) return null;
    const { life, answers } = this.#receiver;
    const nothing = life.killed.then(() => null);
    return Promise.race([nothing, answers.answer(called).then(({ status }) => status)]);
  }

  async #strike(kills: number): Promise<void> {
    for (let kill = 1; kill <= kills; kill += 1) {
      await this.#schedule.turn('somebody', 'is killed');
      const living = this.#lives.filter(({ isOver, run }) => !isOver && !run.startsWith('person'));
      const [first, ...others] = living;
      if (first === undefined) continue;
      const victim = this.#schedule.pick([first, ...others]);
      this.#killed.push(victim.run);
      this.#end(victim);
    }
  }

  async #move(): Promise<void> {
    const mover = 'the mover';
    await this.#schedule.turn(mover, 'copies the ledger');
    const copy = this.#ledgers.copy();
    await this.#schedule.turn(mover, 'moves to the copy');
    try {
      await this.#ledgers.moveTo(copy, () => this.#schedule.turn(mover, 'says that the copy is the ledger'));
    } catch (error) {
      if (!isLedgerFailure(error)) throw error;
    }
  }

  async #leap(leaps: readonly number[]): Promise<void> {
    for (const ms of leaps) {
      await this.#schedule.turn('the clock', `leaps by ${ms} ms`);
      this.#schedule.leap(ms);
    }
  }

  async #act(deeds: readonly PersonDeed[]): Promise<void> {
    const life = await this.#live('person');
    try {
      for (const deed of deeds) {
        await this.#schedule.turn(life.run, `is about to ${deed}`);
        await this.#deed(life, deed);
      }
      this.#leave(life);
    } catch (error) {
      this.#leave(life, error);
    }
  }

  async #deed(life: Life, deed: PersonDeed): Promise<void> {
    const { ledger, service } = life.settlement;
    switch (deed) {
      case 'freeze':
        return this.#freeze(ledger);
      case 'unfreeze':
        return ledger.unfreeze();
      case 'resolve':
        await this.#resolve(life);
        return;
      case 'reconcile':
        for await (const _ of reconcile(ledger, service, { fromMs: 0, untilMs: startMs * 2 }));
    }
  }

  /** Nothing may be claimed while the ledger is frozen. */
  async #freeze(ledger: Ledger): Promise<void> {
    await ledger.freeze('a person looks');
    const since = await ledger.lastSeq();
    await this.#schedule.turn('person', 'has a look at the frozen ledger');
    if ((await ledger.meta()).frozen === null) return;
    for await (const page of ledger.events()) {
      const claimed = page.find(({ seq, kind }) => seq > since && kind === 'claimed');
      if (claimed !== undefined) this.#wrong.push(`event ${claimed.seq} claims in a frozen ledger`);
    }
  }

  /** Asks the payer about unknown payments, as a person does, and records certain answers. Returns their number. */
  async #resolve(life: Life): Promise<number> {
    const { ledger } = life.settlement;
    let resolved = 0;
    for await (const page of ledger.entries({ payment: ['unknown'] })) {
      for (const entry of page) {
        await this.#schedule.turn(life.run, `asks the payer about ${entry.rewardId}`);
        const truth = this.#payer.truthOf(entry.rewardId);
        if (truth === undefined) continue;
        const finding: ManualOutcome =
          truth === 'paid'
            ? { kind: 'paid', ref: 'by the books' }
            : { kind: 'not-paid', reason: 'by the books' };
        await this.#schedule.turn(life.run, `has found ${entry.rewardId} ${truth}`);
        await resolveReward(life.settlement, entry, finding);
        resolved += 1;
      }
    }
    return resolved;
  }

  async #settleAlone(): Promise<void> {
    let isDone = false;
    for (let run = 1; run <= calmRuns && !isDone; run += 1) {
      const life = await this.#live('alone');
      await life.settlement.ledger.unfreeze();
      isDone = await this.#settle(life);
      const seq = await life.settlement.ledger.lastSeq();
      this.#loneRuns.push({ exitCode: isDone ? 0 : 11, seq });
    }
  }

  /** A person resolves all unknown payments, and the program continues. */
  async #resolveAll(): Promise<void> {
    const life = await this.#live('person');
    const count = await this.#resolve(life);
    this.#leave(life);
    if (count > 0) await this.#settleAlone();
  }
}
