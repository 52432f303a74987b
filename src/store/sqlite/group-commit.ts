/** Carries out writes; each promise resolves with what its work returned, once that is durable. */
export interface GroupCommit {
  /** All or nothing: when `work` throws, none of its writes happened and the promise rejects. */
  write<T>(work: () => T): Promise<T>;
  /** Commits what waits at once. */
  flush(): void;
}

interface Waiting {
  /** Does the work; returns how to resolve its promise. */
  perform(): () => void;
  fail(error: unknown): void;
}

/** Delays a commit until its other writes have been requested. */
export type PutOff = (commit: () => void) => void;

/**
 * Commits all writes of one turn of the event loop in one transaction: concurrent requests share the cost of a commit,
 * which is most of the cost of a write. `transact` does its work in one transaction.
 */
export function createGroupCommit(
  transact: <T>(work: () => T) => T,
  putOff: PutOff = setImmediate,
): GroupCommit {
  let waiting: Waiting[] = [];

  function flush(): void {
    const group = waiting;
    waiting = [];
    try {
      commit(group);
    } catch (error) {
      // The failed write is unknown, and the others must not fail with it.
      if (group.length === 1) group[0]?.fail(error);
      else for (const one of group) commitAlone(one);
    }
  }

  function commitAlone(one: Waiting): void {
    try {
      commit([one]);
    } catch (error) {
      one.fail(error);
    }
  }

  function commit(group: readonly Waiting[]): void {
    if (group.length === 0) return;
    const settled = transact(() => group.map((one) => one.perform()));
    for (const settle of settled) settle();
  }

  return {
    write: (work) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) putOff(flush);
        waiting.push({
          perform: () => {
            const result = work();
            return () => resolve(result);
          },
          fail: reject,
        });
      }),
    flush,
  };
}
