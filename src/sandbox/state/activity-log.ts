import type { Effect } from './state.ts';

/** At least this many effects are kept, and at most twice as many. */
const effectsMaximum = 100_000;

type Calls = {
  /** Requests received for the operation. */
  received: number;
  /** Requests that reached its handler, even if the reply was lost. */
  carriedOut: number;
};

/** Requests and writes since the start. Lost on restart. */
export class ActivityLog {
  readonly #calls: Record<string, Calls> = {};
  /** The latest effects, oldest first. */
  effects: Effect[] = [];

  get calls(): Readonly<Record<string, Readonly<Calls>>> {
    return this.#calls;
  }

  count(operation: string, event: keyof Calls): void {
    this.#calls[operation] ??= { received: 0, carriedOut: 0 };
    this.#calls[operation][event] += 1;
  }

  addEffects(effects: readonly Effect[]): void {
    for (const effect of effects) this.effects.push(effect);
    if (this.effects.length >= 2 * effectsMaximum) this.effects = this.effects.slice(-effectsMaximum);
  }
}
