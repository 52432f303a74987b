type Calls = {
  /** Requests received for the operation. */
  received: number;
  /** Requests that reached its handler, even if the reply was lost. */
  carriedOut: number;
};

/** Counts of requests since the start. They are lost on restart. */
export class ActivityLog {
  readonly #calls: Record<string, Calls> = {};

  get calls(): Readonly<Record<string, Readonly<Calls>>> {
    return this.#calls;
  }

  count(operation: string, event: keyof Calls): void {
    this.#calls[operation] ??= { received: 0, carriedOut: 0 };
    this.#calls[operation][event] += 1;
  }
}
