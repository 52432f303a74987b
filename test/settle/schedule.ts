import type { Clock } from '../../src/base/clock.ts';
import { Choices } from './schedule-choices.ts';

/** Far more turns than any schedule takes. */
const turnsMaximum = 3_000;
/** The time that passes in a turn without an action, in milliseconds. */
const tickMs = 400;

interface Waiting {
  readonly who: string;
  readonly what: string;
  readonly go: () => void;
}

interface Sleeper {
  readonly who: string;
  readonly wakesAtMs: number;
  readonly wake: () => void;
}

/** The choices of turns and faults in a schedule. Without them everything happens in order and without faults. */
export interface ScheduleChoices {
  readonly turns: Iterable<number>;
  readonly luck: Iterable<number>;
}

/**
 * Orders all actions of processes, payer, service and people in one test. Each waits for its turn, and all consequences
 * of a turn happen before the next. The same choices give the same schedule.
 */
export class Schedule {
  readonly #turns: Choices;
  readonly #luck: Choices;
  readonly #story: string[] = [];
  readonly #ended = new Set<string>();
  #waiting: Waiting[] = [];
  #sleepers: Sleeper[] = [];
  #aside: Promise<unknown>[] = [];
  #nowMs: number;
  /** From then on there are no faults. */
  isCalm = false;

  constructor(choices: ScheduleChoices, startMs: number) {
    this.#turns = new Choices(choices.turns);
    this.#luck = new Choices(choices.luck);
    this.#nowMs = startMs;
  }

  /** The events so far, a line for each turn. */
  get story(): readonly string[] {
    return this.#story;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Resolves at the caller's turn; never if `who` has ended. */
  turn(who: string, what: string): Promise<void> {
    return new Promise((resolve) => {
      if (!this.#ended.has(who)) this.#waiting.push({ who, what, go: resolve });
    });
  }

  /** Drops everything that `who` waits for, as after a kill. */
  end(who: string): void {
    this.#ended.add(who);
    this.#waiting = this.#waiting.filter((task) => task.who !== who);
    this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.who !== who);
  }

  /** Work of the machine itself, which ends before the next turn. */
  async aside<T>(work: Promise<T>): Promise<T> {
    this.#aside.push(work.catch(() => undefined));
    return work;
  }

  /** Returns true in `percent` of cases, which are faults. */
  fails(percent: number): boolean {
    return !this.isCalm && this.#luck.below(100) >= 100 - percent;
  }

  /** One of `values`, the best of which is the first. */
  pick<T>(values: readonly [T, ...T[]]): T {
    return (this.isCalm ? undefined : values[this.#luck.below(values.length)]) ?? values[0];
  }

  clockOf(who: string): Clock {
    return {
      now: () => this.#nowMs,
      monotonicMs: () => this.#nowMs,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          if (signal?.aborted) {
            reject(signal.reason);
            return;
          }
          if (this.#ended.has(who)) return;
          const sleeper = { who, wakesAtMs: this.#nowMs + Math.ceil(ms), wake: resolve };
          this.#sleepers.push(sleeper);
          signal?.addEventListener('abort', () => {
            this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
            reject(signal.reason);
          });
        }),
    };
  }

  /** Advances time for everyone. */
  leap(ms: number): void {
    this.#nowMs += ms;
    const awake = this.#sleepers.filter(({ wakesAtMs }) => wakesAtMs <= this.#nowMs);
    this.#sleepers = this.#sleepers.filter(({ wakesAtMs }) => wakesAtMs > this.#nowMs);
    for (const { wake } of awake) wake();
  }

  /** Gives turns until nobody waits for one. */
  async run(): Promise<void> {
    await this.#rest();
    while (this.#waiting.length + this.#sleepers.length > 0) {
      if (this.#story.length >= turnsMaximum) throw new Error('the schedule does not end');
      this.#next();
      await this.#rest();
    }
  }

  #next(): void {
    const others = this.#sleepers.length > 0 ? 1 : 0;
    const index = this.#turns.below(this.#waiting.length + others);
    const task = this.#waiting[index];
    this.#nowMs += 1;
    if (task === undefined) {
      const nextMs = Math.min(...this.#sleepers.map(({ wakesAtMs }) => wakesAtMs)) - this.#nowMs;
      this.#story.push('time passes');
      // If nothing else can happen, time advances to the next wake-up in one step.
      this.leap(this.#waiting.length === 0 ? Math.max(nextMs, 0) : tickMs);
      return;
    }
    this.#waiting.splice(index, 1);
    this.#story.push(`${task.who} ${task.what}`);
    task.go();
  }

  /** Waits for all consequences of the last turn. They are microtasks, which end before the event loop turns. */
  async #rest(): Promise<void> {
    await new Promise(setImmediate);
    while (this.#aside.length > 0) {
      await Promise.all(this.#aside.splice(0));
      await new Promise(setImmediate);
    }
  }
}
