import type { Database } from '../../base/sqlite.ts';
import { prepareQuery } from './query.ts';

/**
 * A state of a database as one connection knows it: its own commits so far, and a version that changes with commits of
 * other connections.
 */
interface Stamp {
  readonly commits: number;
  readonly version: unknown;
}

/**
 * Knows which commits survive a loss of power, where commits themselves do not wait for the disk. Callers that ask
 * during a wait share the next one, and other work continues. A wait covers everything that could be read when
 * it began, of every connection.
 */
export interface CommitCover {
  /** Notes a commit of this connection. */
  noteCommit(): void;
  /** How many commits of this connection were noted. */
  readonly commits: number;
  /** Whether the first `commits` of this connection are on the disk. */
  has(commits: number): boolean;
  /** Another one as soon as another connection has committed. */
  version(): unknown;
  /** Resolves once the disk is not waited for: what is committed earlier has to wait for the next time all the same. */
  free(): Promise<void>;
  /** Resolves once the commits of this connection are on the disk, with all that they were made by. */
  ofOwn(): Promise<void>;
  /** Resolves once all that can be read now is on the disk. */
  ofAll(): Promise<void>;
}

/** `sync` resolves once everything that was written to the log of the database before it was called is on the disk. */
export function createCommitCover(database: Database, sync: () => Promise<void>): CommitCover {
  const selectVersion = prepareQuery<{ readonly data_version: number }>(database, 'PRAGMA data_version');
  const version = () => selectVersion.get()?.data_version;
  let commits = 0;
  let covered: Stamp | undefined;
  let running: { readonly stamp?: Stamp; readonly ended: Promise<void> } = { ended: Promise.resolve() };
  let next: Promise<void> | undefined;

  /** No version at all where another process keeps it from being read: then less is known to be covered. */
  function knownVersion(): unknown {
    try {
      return version();
    } catch {
      return undefined;
    }
  }

  function begin(): Promise<void> {
    next = undefined;
    const stamp = { commits, version: knownVersion() };
    const ended = sync().then(() => {
      covered = stamp;
    });
    running = { stamp, ended };
    return ended;
  }

  function wait(isEnough: (stamp: Stamp) => boolean): Promise<void> {
    if (covered !== undefined && isEnough(covered)) return Promise.resolve();
    if (running.stamp !== undefined && isEnough(running.stamp)) return running.ended;
    // Where the disk fails one wait, none follows it: a later one might succeed, and say nothing of what was lost.
    next ??= running.ended.then(begin);
    return next;
  }

  return {
    noteCommit: () => {
      commits += 1;
    },
    get commits() {
      return commits;
    },
    version,
    has: (count) => (covered?.commits ?? 0) >= count,
    free: () => running.ended.catch(() => undefined),
    ofOwn: () => {
      const own = commits;
      return wait((stamp) => stamp.commits >= own);
    },
    ofAll: () => {
      const now = { commits, version: version() };
      return wait((stamp) => stamp.commits >= now.commits && stamp.version === now.version);
    },
  };
}
