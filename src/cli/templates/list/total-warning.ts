import type { ExitCode } from '../../../base/failure.ts';
import type { TotalCheck } from '../../../client/total-check.ts';
import type { Notices } from '../../../output/terminal/notices.ts';

/** Warns, after the last page, of fewer or more records than the totals of the list allow. */
export function warnOfTotal(check: TotalCheck, notices: Notices): ExitCode {
  if (!check.isShort() && !check.isLong()) return 0;
  notices.warning(
    'the total of the service differs from the records it sent: records are missing or listed twice',
    'the list may have changed while it was read: run the same command again; if this persists, report it to the ' +
      'operator of the service',
  );
  return 6;
}
