import type { StateChange } from './state.ts';

/** At least this many effects are kept, and at most twice as many; older ones are only counted. */
const effectsMaximum = 100_000;

/** One write to the state. */
type Effect = Pick<StateChange, 'collection' | 'action' | 'id'>;

type Calls = {
  /** Requests received for the operation. */
  readonly received: number;
  /** Requests that reached its handler, even if the reply was lost. */
  readonly carriedOut: number;
};

const noCalls: Calls = { received: 0, carriedOut: 0 };

/** Requests and writes since the start, for tests and inspection. Lost on restart. */
export class ActivityLog {
  readonly #calls = new Map<string, Calls>();
  #effects: Effect[] = [];
  #forgotten = 0;

  get calls(): Readonly<Record<string, Calls>> {
    return Object.fromEntries(this.#calls);
  }

  /** The latest effects, oldest first. */
  get effects(): readonly Effect[] {
    return this.#effects;
  }

  /** How many effects before `effects` are no longer kept. */
  get forgotten(): number {
    return this.#forgotten;
  }

  received(operation: string): void {
    const { received, carriedOut } = this.#calls.get(operation) ?? noCalls;
    this.#calls.set(operation, { received: received + 1, carriedOut });
  }

  carriedOut(operation: string): void {
    const { received, carriedOut } = this.#calls.get(operation) ?? noCalls;
    this.#calls.set(operation, { received, carriedOut: carriedOut + 1 });
  }

  wrote(changes: readonly StateChange[]): void {
    for (const { collection, action, id } of changes) this.#effects.push({ collection, action, id });
    if (this.#effects.length < 2 * effectsMaximum) return;
    this.#forgotten += this.#effects.length - effectsMaximum;
    this.#effects = this.#effects.slice(-effectsMaximum);
  }
}
