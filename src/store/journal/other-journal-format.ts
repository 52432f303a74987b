import { Failure } from '../../base/failure.ts';

/** The journal at `path` has the format `found`, and this version reads and writes `format` alone. */
export function otherJournalFormat(path: string, found: number, format: number): Failure {
  return new Failure(
    'unreadable-path',
    `the journal of pushes ${path} has format ${found}; this version reads only format ${format}`,
    'use the version of reviewctl that wrote it; without its journal a push would send again what was sent before, ' +
      'so begin a new one, in another folder named by REVIEWCTL_STATE_DIR, only for records that the service lacks',
  );
}
