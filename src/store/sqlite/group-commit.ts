/** Carries out writes; each promise resolves with what its work returned, once that is durable. */
export interface GroupCommit {
  /** All or nothing: when `work` throws, none of its writes happened and the promise rejects. */
  write<T>(work: () => T): Promise<T>;
  /** Commits what waits at once. */
  flush(): void;
}

interface Waiting {
  /** Does the work and says how to tell its promise. */
  perform(): () => void;
  fail(error: unknown): void;
}

/** Puts a commit off until whoever shares it has asked for its write. */
export type PutOff = (commit: () => void) => void;

/**
 * Commits in one transaction all that is asked for within one turn of the event loop: requests that are under way at once
 * share the cost of a commit, which is most of the cost of a write. `transact` does its work in one transaction.
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
      // Whose work failed is not known, and the others must not suffer for it.
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
