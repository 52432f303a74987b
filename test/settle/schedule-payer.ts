import { formatMoney } from '../../src/base/money.ts';
import type {
  LookupAnswer,
  Payer,
  PayerAnswer,
  PayerCapabilities,
  Payment,
  RecoveredOutcome,
} from '../../src/payer/payer.ts';
import type { LogLine } from '../campaign/settlement-logs.ts';
import type { Schedule } from './schedule.ts';

export interface PayerHabits {
  /** A program leaves evidence of its answer; a service does not. */
  readonly leavesEvidence: boolean;
  readonly isIdempotent: boolean;
  readonly replaysResponse: boolean;
  readonly hasLookup: boolean;
  /** A reward that gets no answer before the calm. */
  readonly poisoned: string | undefined;
}

interface Caller {
  readonly run: string;
  readonly isOver: boolean;
}

type Fate = 'paid' | 'refused' | 'retry' | 'misconfigured' | 'lost' | 'unanswered' | 'late';

/** Mostly paid. */
const fates: readonly [Fate, ...Fate[]] = [
  ...(['paid', 'paid', 'paid', 'paid', 'paid', 'paid', 'unanswered', 'unanswered'] as const),
  ...(['late', 'late', 'lost', 'lost', 'refused', 'retry', 'misconfigured'] as const),
];

const lost: PayerAnswer = { kind: 'ambiguous', message: 'no answer' };

/** The time-out of a caller. */
const timeoutMs = 30_000;
/** The longest delay of a late call, and the validity of a key, in milliseconds. */
const lookupDelayMs = 60 * 60 * 1000;
export const idempotentForMs = 24 * 60 * 60 * 1000;

interface Call {
  readonly payment: Payment;
  readonly caller: Caller;
  readonly atMs: number;
  /** True if it may still move money. */
  isOpen: boolean;
  /** True if its caller waits for the answer, if alive. */
  isAwaited: boolean;
}

/** A payer with its own books. It outlives a killed caller. */
export class SchedulePayer {
  readonly capabilities: PayerCapabilities;
  readonly #schedule: Schedule;
  readonly #habits: PayerHabits;
  readonly #log: (line: LogLine) => void;
  readonly #calls: Call[] = [];
  readonly #evidence = new Map<string, RecoveredOutcome>();
  /** The answer to each key, and the time of its first call. */
  readonly #keys = new Map<string, { readonly answer: 'paid' | 'refused'; readonly sinceMs: number }>();

  constructor(schedule: Schedule, habits: PayerHabits, log: (line: LogLine) => void) {
    this.#schedule = schedule;
    this.#habits = habits;
    this.#log = log;
    this.capabilities = {
      name: 'payer',
      idempotentForMs: habits.isIdempotent ? idempotentForMs : null,
      replaysResponse: habits.isIdempotent && habits.replaysResponse,
      lookupDelayMs,
    };
  }

  openFor(caller: Caller): Payer {
    const schedule = this.#schedule;
    const { hasLookup } = this.#habits;
    return {
      capabilities: this.capabilities,
      timeoutMs,
      pay: async (payment, mayLeave = () => true) => {
        const untilMs = schedule.nowMs + timeoutMs;
        await schedule.turn(caller.run, `calls the payer for ${payment.rewardId}`);
        if (!mayLeave()) return { kind: 'retry', message: 'the claim was too old' };
        if (schedule.nowMs > untilMs) return this.#giveUp(payment);
        const answer = await this.#take(payment, caller);
        await schedule.turn(caller.run, `hears of ${payment.rewardId}: ${answer.kind}`);
        return answer;
      },
      recoveredOutcome: async ({ key, attempt }) =>
        this.#evidence.get(`${key} ${attempt}`) ?? { kind: 'none' },
      forget: async (key) => {
        await schedule.turn(caller.run, 'lets go of what the payer left');
        for (const name of this.#evidence.keys()) if (name.startsWith(key)) this.#evidence.delete(name);
      },
      lookUp: hasLookup ? (payment) => this.#lookUp(payment, caller) : undefined,
      close: async () => undefined,
    };
  }

  /** The certain result in the books; undefined while a call may still arrive. */
  truthOf(rewardId: string): 'paid' | 'not-paid' | undefined {
    const calls = this.#calls.filter(({ payment }) => payment.rewardId === rewardId);
    if (calls.some((call) => this.#mayLand(call))) return undefined;
    return calls.some(({ payment }) => this.#keys.get(payment.key)?.answer === 'paid') ? 'paid' : 'not-paid';
  }

  /** A call that has not left in time is logged and ends without an answer. */
  #giveUp(payment: Payment): PayerAnswer {
    this.#write('CALL', payment);
    return lost;
  }

  /** Processes a call, whether or not its caller lives. */
  async #take(payment: Payment, caller: Caller): Promise<PayerAnswer> {
    const { rewardId } = payment;
    const call = { payment, caller, atMs: this.#schedule.nowMs, isOpen: true, isAwaited: true };
    this.#noteOverlap(call);
    this.#calls.push(call);
    this.#write('CALL', payment);
    this.#leave(payment, { kind: 'running', message: 'it is at work' });
    const fate = this.#fateOf(payment);
    await this.#schedule.turn('the payer', `works on ${rewardId}: ${fate}`);
    this.#leave(payment, { kind: 'none' });
    const answer = this.#mayLand(call) ? this.#carryOut(call, fate) : lost;
    call.isOpen &&= fate === 'late';
    call.isAwaited = false;
    return answer;
  }

  #carryOut(call: Call, fate: Fate): PayerAnswer {
    const { payment } = call;
    switch (fate) {
      case 'paid':
        return this.#answer(payment, this.#move(payment));
      case 'refused':
        return this.#answer(payment, this.#refuse(payment));
      case 'retry':
        return this.#answer(payment, { kind: 'retry', message: 'come back later' });
      case 'misconfigured':
        return this.#answer(payment, { kind: 'misconfigured', message: 'who are you?' });
      case 'late':
        void this.#landLate(call);
        return lost;
      case 'unanswered':
        this.#move(payment);
        return lost;
      case 'lost':
        return lost;
    }
  }

  async #landLate(call: Call): Promise<void> {
    await this.#schedule.turn('the payer', `comes late to ${call.payment.rewardId}`);
    if (this.#mayLand(call)) this.#move(call.payment);
    call.isOpen = false;
  }

  /** With an idempotent payer that replays answers, a key whose payment is under way is not refused. */
  #fateOf({ rewardId, key }: Payment): Fate {
    if (rewardId === this.#habits.poisoned && !this.#schedule.isCalm) return 'lost';
    const fate = this.#schedule.pick(fates);
    const isMoving = this.#calls.some((call) => call.payment.key === key && this.#mayLand(call));
    return this.capabilities.replaysResponse && isMoving && fate === 'refused' ? 'lost' : fate;
  }

  #move(payment: Payment): PayerAnswer {
    const known = this.#known(payment);
    if (known === undefined) {
      this.#write('EFFECT', payment);
      this.#keys.set(payment.key, { answer: 'paid', sinceMs: this.#sinceMs(payment) });
    }
    return known === 'refused'
      ? { kind: 'refused', message: 'no such member' }
      : { kind: 'paid', ref: payment.key };
  }

  #refuse(payment: Payment): PayerAnswer {
    if (this.#known(payment) === 'paid') return this.#move(payment);
    if (this.capabilities.replaysResponse) {
      this.#keys.set(payment.key, { answer: 'refused', sinceMs: this.#sinceMs(payment) });
    }
    return { kind: 'refused', message: 'no such member' };
  }

  /** The answer to a key if keys are honoured and this one is still valid. */
  #known({ key }: Payment): 'paid' | 'refused' | undefined {
    const record = this.#keys.get(key);
    const isHonoured =
      this.#habits.isIdempotent && this.#schedule.nowMs < (record?.sinceMs ?? 0) + idempotentForMs;
    return isHonoured ? record?.answer : undefined;
  }

  #sinceMs({ key }: Payment): number {
    const now = this.#schedule.nowMs;
    const calls = this.#calls.filter(({ payment }) => payment.key === key).map(({ atMs }) => atMs);
    return Math.min(now, ...calls.filter((atMs) => now < atMs + idempotentForMs));
  }

  async #lookUp(payment: Payment, { run }: Caller): Promise<LookupAnswer> {
    await this.#schedule.turn(run, `asks the books for ${payment.rewardId}`);
    const isUndecided = this.#schedule.fails(20);
    const isPaid = this.#keys.get(payment.key)?.answer === 'paid';
    await this.#schedule.turn(run, `hears of the books: ${isUndecided ? 'nothing' : isPaid}`);
    if (isUndecided) return { kind: 'undecided', message: 'the books are closed' };
    return isPaid ? { kind: 'paid', ref: payment.key } : { kind: 'not-found' };
  }

  #mayLand({ isOpen, atMs }: Call): boolean {
    return isOpen && this.#schedule.nowMs < atMs + lookupDelayMs;
  }

  #noteOverlap({ payment, caller }: Call): void {
    const beside = this.#calls.find((other) => {
      if (other.payment.rewardId !== payment.rewardId || !this.#mayLand(other)) return false;
      return (
        !this.#habits.isIdempotent || (other.isAwaited && other.caller !== caller && !other.caller.isOver)
      );
    });
    if (beside !== undefined) this.#write('OVERLAP', payment, { beside: beside.caller.run });
  }

  #leave({ key, attempt }: Payment, evidence: RecoveredOutcome): void {
    if (this.#habits.leavesEvidence) this.#evidence.set(`${key} ${attempt}`, evidence);
  }

  #answer(payment: Payment, answer: PayerAnswer): PayerAnswer {
    this.#write('ANSWER', payment, { outcome: answer.kind });
    if (answer.kind === 'paid' || answer.kind === 'refused') this.#leave(payment, answer);
    return answer;
  }

  #write(what: string, { key, amount, memberOriginId, rewardId }: Payment, more: object = {}): void {
    const payment = { key, amount: formatMoney(amount), member: memberOriginId, reward: rewardId };
    this.#log({ what, ...payment, at: this.#schedule.nowMs, ...more });
  }
}
