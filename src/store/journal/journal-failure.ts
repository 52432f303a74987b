import { Failure, messageOf } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { shellWord } from '../../base/shell-word.ts';
import { isDamage, isUnusable } from '../../base/sqlite.ts';

/** The failure for a journal of another format. */
export function otherJournalFormat(path: string, found: number | undefined, format: number): Failure {
  const what = found === undefined ? 'is from an earlier version, or something else' : `has format ${found}`;
  return new Failure(
    'unreadable-path',
    `the journal of pushes ${path} ${what}; this version reads only format ${format}`,
    'use the version of reviewctl that wrote it; without its journal a push would send the same records again, ' +
      'so begin a new one, in another folder named by REVIEWCTL_STATE_DIR, only for records that the service lacks',
  );
}

/** The failure for a journal whose content is lost; `what` is the evidence that there was some. */
export function lostJournal(path: string, what: string): Failure {
  const files = [path, `${path}-wal`, `${path}-shm`].map(shellWord).join(' ');
  return new Failure(
    'unreadable-path',
    `the journal of pushes ${path} ${what}`,
    'restore it from a backup; without its journal a push would send the same records again. Only if the service ' +
      `has none of these records, begin a new one: rm -f ${files}`,
  );
}

/** The failure for a journal with content of another format; `what` names it. */
export function damagedJournal(what: string): Failure {
  return new Failure(
    'unreadable-path',
    `the journal of pushes is damaged: ${what}`,
    hint`restore the journal (pushes.db in the state folder, or its schema in PostgreSQL) from a backup; see where it
      is with ${reviewctl`doctor`}`,
  );
}

/** Converts an error of the file at `path`; returns others unchanged. */
export function journalFailure(path: string, error: unknown): unknown {
  const cause = error instanceof Failure ? error.cause : error;
  if (isDamage(cause)) {
    return new Failure(
      'unreadable-path',
      `the journal of pushes ${path} is damaged`,
      'restore it from a backup; without its journal a push would send the same records again; without a ' +
        'backup, move the file away only once you know which records the service has',
      { cause },
    );
  }
  return isUnusable(error) || isOfDisk(error) ? failingJournal(path, error) : error;
}

/** True for a failed fsync. */
function isOfDisk(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

function failingJournal(path: string, cause: unknown): Failure {
  return new Failure(
    'unreadable-path',
    `the journal ${path} cannot be used: ${messageOf(cause)}`,
    'make sure that its disk is writable and has free space, then run the same command again: it continues ' +
      'after the last reported record',
    { cause },
  );
}
