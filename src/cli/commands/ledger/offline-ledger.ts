import type { ExitCode } from '../../../base/failure.ts';
import type { Ledger } from '../../../store/ledger/ledger.ts';
import { type Standing, standingFailure } from '../../../store/ledger/ledger-standing.ts';
import type { ExpectedLedger, OpenedLedger } from '../../../store/ledger/ledger-store.ts';
import { openLedgerStore } from '../../../store/open-store.ts';
import { ledgerFlags } from '../../flags/settle-flags.ts';
import { connectionFlags } from '../../flags/shared-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { type FoundLedger, findLedger } from '../../templates/settle/settlement-session.ts';

const { ledger, state, statePasswordFile, shop } = ledgerFlags;
const { debug, profile, baseUrl } = connectionFlags;

/** Of every command that opens the ledger and asks nothing of the service. */
export const offlineFlags = { ledger, state, statePasswordFile, shop, debug, profile, baseUrl };

type OfflineInvocation = Invocation<typeof offlineFlags>;

/**
 * Opens the ledger the flags name, also one that is not in use, does `work` with it and closes it.
 * @throws Failure('ledger') as `LedgerStore.openAny`; and what `work` throws.
 */
export async function withAnyLedger(
  invocation: OfflineInvocation,
  work: (opened: OpenedLedger, place: FoundLedger) => Promise<ExitCode>,
  further: Pick<ExpectedLedger, 'isAnyOrigin'> = {},
): Promise<ExitCode> {
  const { context, flags } = invocation;
  const { clock, random } = context;
  const place = await findLedger(invocation);
  const expected = { origin: place.origin, shop: flags.shop, clock, random, ...further };
  const opened = await (await openLedgerStore(place)).openAny(expected);
  try {
    return await work(opened, place);
  } finally {
    await opened.ledger.close();
  }
}

/** As `withAnyLedger`, with a warning where it is not the one in use. */
export function lookAtLedger(
  invocation: OfflineInvocation,
  work: (ledger: Ledger, place: FoundLedger, standing: Standing) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withAnyLedger(invocation, ({ ledger, standing }, place) => {
    if (standing.kind !== 'current') {
      const { message, nextStep } = standingFailure(place.path, standing);
      invocation.notices.warning(message, nextStep);
    }
    return work(ledger, place, standing);
  });
}
