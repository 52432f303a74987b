import type { Shard } from '../../base/shard.ts';

/** A lock that this process holds. */
export interface Lock {
  release(): Promise<void>;
}

/**
 * Locks by name. One process at a time holds a lock, until it releases it or ends in any way: a lock that is held
 * proves that its holder is alive.
 */
export interface Locks {
  /**
   * `activity` is the command of those who hold this lock, for the message: `orders push`.
   * @throws Failure('locked') at once while another process holds it; Failure('unreadable-path') or
   *   Failure('unwritable-path') where it cannot be made.
   */
  acquire(name: string, activity: string): Promise<Lock>;
  /** Asks without getting in the way of a process that acquires it. */
  isHeld(name: string): Promise<boolean>;
  /** The names of all locks that are held, by whatever process, and perhaps of others that were. */
  names(): Promise<readonly string[]>;
}

/** The name of the lock of pushes of one kind, or of one of its shards, among the locks of a profile at one service. */
export function pushLockName(kind: string, shard?: Shard): string {
  return shard === undefined ? `push-${kind}` : `push-${kind}-${shard.index}-of-${shard.count}`;
}
