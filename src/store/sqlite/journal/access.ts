import type { Database } from '../../../base/sqlite.ts';
import type { GroupCommit } from '../group-commit.ts';

/** What the parts of the journal share. Errors of the file become a Failure. */
export interface JournalAccess {
  readonly database: Database;
  /** Commits what is asked for in one turn of the event loop together. */
  readonly commit: GroupCommit;
  /**
   * Resolves once everything that was committed before the call would survive a loss of power; other work continues.
   * @throws Failure('unreadable-path') where the disk fails, from then on.
   */
  readonly sync: () => Promise<void>;
  /** Does `work` in one transaction of its own that writes. */
  readonly transact: <T>(work: () => T) => T;
  /** Does `work` on one state of the file. */
  readonly read: <T>(work: () => T) => T;
}

/** What those need that keep what can be read again from the file. */
export type FileAccess = Omit<JournalAccess, 'commit' | 'sync'>;
