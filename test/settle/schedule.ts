import type { Clock } from '../../src/base/clock.ts';
import { Choices } from './schedule-choices.ts';

/** Far more turns than any schedule takes. */
const turnsMaximum = 3_000;
/** What one look at the clock of somebody who waits is apart from the next, in milliseconds. */
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

/** What decides how a schedule goes: whose turn it is, and what goes wrong. Without them everything happens in the order it was asked for, and well. */
export interface ScheduleChoices {
  readonly turns: Iterable<number>;
  readonly luck: Iterable<number>;
}

/**
 * The order of everything that processes, payer, service and persons do in one test: each waits for its turn, and between two turns all
 * that follows from the first one has happened. The same choices give the same schedule.
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
  /** From then on nothing goes wrong any more. */
  isCalm = false;

  constructor(choices: ScheduleChoices, startMs: number) {
    this.#turns = new Choices(choices.turns);
    this.#luck = new Choices(choices.luck);
    this.#nowMs = startMs;
  }

  /** What happened, a line for each turn. */
  get story(): readonly string[] {
    return this.#story;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Resolves when it is this one's turn; never where `who` has ended. */
  turn(who: string, what: string): Promise<void> {
    return new Promise((resolve) => {
      if (!this.#ended.has(who)) this.#waiting.push({ who, what, go: resolve });
    });
  }

  /** What `who` waits for will never happen, as that of a process that is killed. */
  end(who: string): void {
    this.#ended.add(who);
    this.#waiting = this.#waiting.filter((task) => task.who !== who);
    this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.who !== who);
  }

  /** Work of the machine itself, which is over before the next turn. */
  async aside<T>(work: Promise<T>): Promise<T> {
    this.#aside.push(work.catch(() => undefined));
    return work;
  }

  /** Whether something goes wrong that does so in so many of a hundred cases. */
  fails(percent: number): boolean {
    return !this.isCalm && this.#luck.below(100) >= 100 - percent;
  }

  /** One of `values`, the first of which is the best. */
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

  /** Time goes on for everybody. */
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
      // Where nobody else does anything, whoever sleeps need not be waited for bit by bit.
      this.leap(this.#waiting.length === 0 ? Math.max(nextMs, 0) : tickMs);
      return;
    }
    this.#waiting.splice(index, 1);
    this.#story.push(`${task.who} ${task.what}`);
    task.go();
  }

  /** Everything that the last turn led to happens in microtasks, which end before the event loop turns. */
  async #rest(): Promise<void> {
    await new Promise(setImmediate);
    while (this.#aside.length > 0) {
      await Promise.all(this.#aside.splice(0));
      await new Promise(setImmediate);
    }
  }
}
