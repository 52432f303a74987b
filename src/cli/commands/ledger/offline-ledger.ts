import type { ExitCode } from '../../../base/failure.ts';
import type { ExpectedLedger, OpenedLedger } from '../../../store/ledger/ledger-store.ts';
import { openLedgerStore, ownerLocks } from '../../../store/open-store.ts';
import { ledgerFlags } from '../../flags/settle-flags.ts';
import { connectionFlags } from '../../flags/shared-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { type FoundLedger, findLedger } from '../../templates/settle/settlement-session.ts';

const { ledger, state, statePasswordFile, shop } = ledgerFlags;
const { debug, profile, baseUrl } = connectionFlags;

/** Flags of commands that open the ledger without calling the service. */
export const offlineFlags = { ledger, state, statePasswordFile, shop, debug, profile, baseUrl };

export const ledgerExitCodes: readonly ExitCode[] = [4, 5, 9, 12];

type OfflineInvocation = Invocation<typeof offlineFlags>;

/** A ledger, its location, and whether it is the one in use. */
export interface LedgerInUse extends OpenedLedger {
  readonly place: FoundLedger;
  /** True if the process that made a claim is alive; undefined if that cannot be known. */
  readonly isOwnerAlive: (owner: string) => Promise<boolean | undefined>;
}

/**
 * Opens the ledger of the flags, even if it is not in use; it is closed when the command has ended.
 * @throws Failure('ledger') as `LedgerStore.openAny`.
 */
export async function openLedger(
  invocation: OfflineInvocation,
  further: Pick<ExpectedLedger, 'isAnyOrigin'> = {},
): Promise<LedgerInUse> {
  const { context, flags } = invocation;
  const { clock, random } = context;
  const place = await findLedger(invocation);
  const expected = { origin: place.origin, shop: flags.shop, clock, random, ...further };
  const opened = await (await openLedgerStore(place)).openAny(expected);
  invocation.defer(() => opened.ledger.close());
  return { ...opened, place, isOwnerAlive: (owner) => ownerLocks(place).isHeld(owner) };
}

/** Like `openLedger`, but warns if the ledger is not the one in use. */
export async function useLedger(invocation: OfflineInvocation): Promise<LedgerInUse> {
  const opened = await openLedger(invocation);
  const { standing } = opened;
  if (standing.kind !== 'current') {
    const { message, nextStep } = standing.failure;
    invocation.notices.warning(message, nextStep);
  }
  return opened;
}

/**
 * `at least 7 events were recorded after this backup`: the known loss of a restored ledger. Not counted are events
 * after the last mark, and as many events as were recorded here before a person accepted the ledger.
 */
export function lostInWords(lostEvents: number | null): string {
  if (lostEvents === null) return 'the number of events recorded after this backup is unknown';
  return `at least ${lostEvents} ${lostEvents === 1 ? 'event was' : 'events were'} recorded after this backup`;
}

/** `0 payments`, in digits, because the number is compared with that of the lost events. */
export function paymentsInWords(count: number): string {
  return `${count} ${count === 1 ? 'payment' : 'payments'}`;
}
