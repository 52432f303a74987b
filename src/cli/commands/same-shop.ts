import { accountNote, openLedgerStore } from '../../store/open-store.ts';
import type { stateFlags } from '../flags/shared-flags.ts';
import type { Invocation } from '../runtime/command.ts';
import { openState } from '../runtime/find-state.ts';
import { findLedger } from '../templates/settle/settlement-session.ts';
import { type offlineFlags, openLedger } from './ledger/offline-ledger.ts';

/**
 * Records that an account belongs to the shop of the state and the ledger that the flags name. A state without a
 * recorded account is not changed: its first use records one. Returns the places that were changed.
 * @throws as `openState` and `LedgerStore.openAny`.
 */
export async function recordSameShop(
  invocation: Invocation<typeof offlineFlags & typeof stateFlags>,
  account: string,
): Promise<readonly string[]> {
  const state = await openState(invocation, { isReadOnly: true });
  const note = accountNote(state);
  const isStateKept = (await note.read()) !== undefined;
  const place = await findLedger(invocation);
  const hasLedger = await (await openLedgerStore(place)).exists();
  if (hasLedger) {
    const { ledger } = await openLedger(invocation);
    await ledger.addAccount(account);
  }
  if (isStateKept) await note.keep(account);
  return [
    ...(isStateKept ? [`the pushes in ${state.kind === 'postgres' ? state.path : state.folder}`] : []),
    ...(hasLedger ? [`the ledger ${place.path}`] : []),
  ];
}
