import type { Shard } from '../../base/shard.ts';

/** A lock held by this process. */
export interface Lock {
  release(): Promise<void>;
}

/**
 * Locks by name. One process at a time holds a lock, until it releases it or ends in any way. A held lock proves that
 * its holder is alive.
 */
export interface Locks {
  /**
   * Acquires a lock. `activity` is the command of its holders, for the message: `orders push`.
   * @throws Failure('locked') at once if another process holds it; Failure('unreadable-path') or
   *   Failure('unwritable-path') if it cannot be created.
   */
  acquire(name: string, activity: string): Promise<Lock>;
  /** Checks a lock without hindering a process that acquires it. */
  isHeld(name: string): Promise<boolean>;
  /** The names of all locks held by any process, and possibly of some no longer held. */
  names(): Promise<readonly string[]>;
}

/** The name of the lock for pushes of one kind, or of one of its shards, at one profile and service. */
export function pushLockName(kind: string, shard?: Shard): string {
  return shard === undefined ? `push-${kind}` : `push-${kind}-${shard.index}-of-${shard.count}`;
}
