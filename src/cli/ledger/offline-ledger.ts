import type { ExitCode } from '../../base/failure.ts';
import type { Ledger } from '../../store/ledger.ts';
import { isLedgerFailure } from '../../store/ledger-file.ts';
import { type ExpectedLedger, openLedger } from '../../store/open-ledger.ts';
import type { Invocation } from '../command.ts';
import { ledgerFlags } from '../flags/settle-flags.ts';
import { connectionFlags } from '../flags/shared-flags.ts';
import { type FoundLedger, findLedgerToOpen } from '../settle-frame/settlement-session.ts';

const { ledger, shop } = ledgerFlags;
const { debug, profile, baseUrl } = connectionFlags;

/** Of every command that opens the ledger and asks nothing of the service. */
export const offlineFlags = { ledger, shop, debug, profile, baseUrl };

type OfflineInvocation = Invocation<typeof offlineFlags>;

/**
 * Opens the ledger the flags name, does `work` with it and closes it.
 * @throws Failure('ledger') as `openLedger`; and what `work` throws.
 */
export async function withOfflineLedger(
  invocation: OfflineInvocation,
  mark: NonNullable<ExpectedLedger['mark']>,
  work: (ledger: Ledger, place: FoundLedger) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { context, flags } = invocation;
  const { clock, random } = context;
  const place = findLedgerToOpen(invocation);
  const { origin, marksPath } = place;
  const ledger = await openLedger(place.path, { origin, shop: flags.shop, marksPath, mark, clock, random });
  try {
    return await work(ledger, place);
  } finally {
    await ledger.close();
  }
}

/**
 * As `withOfflineLedger`, for those who only look: one that is older than known, or another than was in use, is opened all the same, with
 * a warning.
 */
export async function lookAtLedger(
  invocation: OfflineInvocation,
  work: (ledger: Ledger, place: FoundLedger) => Promise<ExitCode>,
): Promise<ExitCode> {
  let isOpen = false;
  try {
    return await withOfflineLedger(invocation, 'heed', (ledger, place) => {
      isOpen = true;
      return work(ledger, place);
    });
  } catch (error) {
    if (isOpen || !isLedgerFailure(error)) throw error;
    return withOfflineLedger(invocation, 'ignore', (ledger, place) => {
      invocation.notices.warning(error.message, error.hint);
      return work(ledger, place);
    });
  }
}
