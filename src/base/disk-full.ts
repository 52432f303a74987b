import { Failure, systemCodeOf } from './failure.ts';

/** True if a file could not be written because its disk, or the user's quota, is full. */
export function isNoSpace(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(systemCodeOf(error) ?? '');
}

/** The failure of a command that needs the file at `path` on a full disk. */
export function diskFull(path: string, cause: unknown): Failure {
  return new Failure(
    'unwritable-path',
    `the disk is full: ${path} cannot be written`,
    'free some space on that disk, then run the same command again',
    { cause },
  );
}
