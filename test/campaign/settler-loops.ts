import { systemClock } from '../../src/base/clock.ts';
import { messageOf } from '../../src/base/failure.ts';
import type { Settler } from './settle-place.ts';

/** Called at the end of one process. */
type OnEnd = (settler: Settler, exitCode: number | null) => void;

export interface LoopOptions {
  /** Called at the start of a process. */
  readonly watch: (name: string) => OnEnd;
  /** Receives a description of an event that should never happen. */
  readonly noteTrouble: (trouble: string) => void;
  /** The pause before an ended process starts again. */
  readonly pauseMs?: () => number;
}

/** Interval of checks whether a process to be stopped has started. */
const pollMs = 1_000;
/** Time limit for processes that are told to stop. */
const stopMs = 30_000;

/** Processes of the program that restart as soon as they end. */
export class SettlerLoops {
  readonly #options: LoopOptions;
  readonly #living = new Map<string, Settler>();
  readonly #loops = new Map<string, Promise<void>>();
  /** Running loops. */
  readonly #runs = new Map<string, Promise<void>>();
  /** Loops that must not start until this resolves. */
  readonly #resting = new Map<string, Promise<void>>();
  readonly #over = new AbortController();
  /** Ends current pauses. */
  #impatience = new AbortController();
  readonly #ended = new Promise<void>((resolve) => {
    this.#over.signal.addEventListener('abort', () => resolve(), { once: true });
  });

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  get living(): ReadonlyMap<string, Settler> {
    return this.#living;
  }

  /** Starts the same process again and again until the end. */
  keepUp(name: string, begin: () => Settler | Promise<Settler>): void {
    const loop = this.#keepRunning(name, begin).catch((error: unknown) =>
      this.#options.noteTrouble(`${name}: ${messageOf(error)}`),
    );
    this.#loops.set(name, loop);
  }

  /** Stops these loops, by default all, and keeps them stopped until the returned function is called. */
  async rest(names: readonly string[] = [...this.#loops.keys()]): Promise<() => void> {
    let wake = () => {};
    const until = new Promise<void>((resolve) => {
      wake = resolve;
    });
    for (const name of names) this.#resting.set(name, until);
    // A process told twice exits at once, and leaves its payment in doubt.
    const told = new Set<Settler>();
    while (names.some((name) => this.#runs.has(name))) {
      for (const name of names) {
        const settler = this.#living.get(name);
        if (settler === undefined || told.has(settler)) continue;
        told.add(settler);
        settler.child.kill('SIGTERM');
      }
      const runs = names.flatMap((name) => this.#runs.get(name) ?? []);
      await Promise.race([...runs, systemClock.sleep(pollMs)]);
    }
    return () => {
      for (const name of names) if (this.#resting.get(name) === until) this.#resting.delete(name);
      wake();
    };
  }

  /** Restarts ended processes at once. */
  hurry(): void {
    this.#impatience.abort();
    this.#impatience = new AbortController();
  }

  /** Ends all processes by their handles. */
  async end(): Promise<void> {
    this.#over.abort();
    this.#impatience.abort();
    for (const { child } of this.#living.values()) child.kill('SIGTERM');
    const given = new AbortController();
    const patience = systemClock.sleep(stopMs, given.signal).then(
      () => {
        for (const [name, { child }] of this.#living) {
          this.#options.noteTrouble(`${name} did not stop within ${stopMs / 1000} s`);
          child.kill('SIGKILL');
        }
      },
      () => undefined,
    );
    await Promise.all(this.#loops.values());
    given.abort();
    await patience;
  }

  async #keepRunning(name: string, begin: () => Settler | Promise<Settler>): Promise<void> {
    while (await this.#mayBegin(name)) {
      const run = this.#runOnce(name, begin);
      this.#runs.set(name, run);
      await run.finally(() => this.#runs.delete(name));
      await this.#pause();
    }
  }

  /** Waits until a loop may start; returns false once all is over. */
  async #mayBegin(name: string): Promise<boolean> {
    const { signal } = this.#over;
    while (this.#resting.has(name) && !signal.aborted)
      await Promise.race([this.#resting.get(name), this.#ended]);
    return !signal.aborted;
  }

  async #pause(): Promise<void> {
    const ms = this.#options.pauseMs?.() ?? 0;
    if (ms > 0) await systemClock.sleep(ms, this.#impatience.signal).catch(() => undefined);
  }

  async #runOnce(name: string, begin: () => Settler | Promise<Settler>): Promise<void> {
    const onEnd = this.#options.watch(name);
    const settler = await begin();
    this.#living.set(name, settler);
    if (this.#over.signal.aborted) settler.child.kill('SIGTERM');
    const exitCode = await settler.ended;
    this.#living.delete(name);
    onEnd(settler, exitCode);
  }
}
