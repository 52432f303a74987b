import type { Database } from '../base/sqlite.ts';
import type { GroupCommit } from './group-commit.ts';

/** What the parts of the journal share. */
export interface JournalAccess {
  readonly database: Database;
  readonly commit: GroupCommit;
  /** Does `work` with what goes wrong with the file told as a Failure. */
  readonly guarded: <T>(work: () => T) => T;
}
