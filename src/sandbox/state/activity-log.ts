import type { Change } from './state.ts';

/** How many effects are remembered at least; older ones are only counted, and at most as many more are kept. */
const effectsMaximum = 100_000;

/** One write to the world. */
export type Effect = Pick<Change, 'collection' | 'action' | 'id'>;

type Calls = {
  /** Requests that came in for the operation. */
  readonly received: number;
  /** Those that reached its handler, whatever became of the answer. */
  readonly carriedOut: number;
};

const noCalls: Calls = { received: 0, carriedOut: 0 };

/** What was asked and what was written since the start, for tests and for the curious. Not kept across restarts. */
export class Journal {
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

  /** How many effects came before `effects` and are no longer remembered. */
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

  wrote(changes: readonly Change[]): void {
    for (const { collection, action, id } of changes) this.#effects.push({ collection, action, id });
    if (this.#effects.length < 2 * effectsMaximum) return;
    this.#forgotten += this.#effects.length - effectsMaximum;
    this.#effects = this.#effects.slice(-effectsMaximum);
  }
}
