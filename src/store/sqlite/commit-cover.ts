/**
 * Knows which commits of a connection survive a loss of power, where commits themselves do not wait for the disk.
 * Callers that ask during a wait share the next one, unless the wait covers their commits already.
 */
export interface CommitCover {
  /** Notes a commit. */
  readonly noteCommit: () => void;
  /** Resolves once the commits noted so far are on the disk. */
  readonly wait: () => Promise<void>;
}

/** `sync` resolves once everything that was written to the log of the database before it was called is on the disk. */
export function createCommitCover(sync: () => Promise<void>): CommitCover {
  let commits = 0;
  let covered = 0;
  let running = { commits: 0, ended: Promise.resolve() };
  let next: Promise<void> | undefined;

  function begin(): Promise<void> {
    next = undefined;
    const noted = commits;
    const ended = sync().then(() => {
      covered = noted;
    });
    running = { commits: noted, ended };
    return ended;
  }

  return {
    noteCommit: () => {
      commits += 1;
    },
    wait: () => {
      if (covered === commits) return Promise.resolve();
      if (running.commits === commits) return running.ended;
      // Once the disk fails one wait, none follows it: a later one might succeed, and say nothing of what was lost.
      next ??= running.ended.then(begin);
      return next;
    },
  };
}
