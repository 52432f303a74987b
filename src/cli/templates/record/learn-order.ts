import { Failure } from '../../../base/failure.ts';
import type { Json } from '../../../base/json.ts';
import { order } from '../../../contract/resources.ts';
import { type OrderWrite, recordOrderWrite } from '../../../push/lookup/learned-order.ts';
import { accountNote, openExistingPushJournal } from '../../../store/open-store.ts';
import { checkAccount } from '../../../store/state/account-note.ts';
import type { Invocation } from '../../runtime/command.ts';
import { openState, type StateFlags } from '../../runtime/find-state.ts';
import type { Session } from '../../runtime/session.ts';

/** Records a write of an order in the journal, if there is one; what fails here does not undo the write. */
export async function learnOrder(
  write: OrderWrite,
  reply: Json,
  { account, api }: Session,
  invocation: Invocation<StateFlags>,
): Promise<void> {
  const { data } = order().safeParse(reply);
  if (data === undefined) return;
  try {
    const state = await openState(invocation, { isReadOnly: true });
    await checkAccount(accountNote(state), account);
    const journal = await openExistingPushJournal(state);
    if (journal === undefined) return;
    invocation.defer(() => journal.close());
    await recordOrderWrite(journal, write, data, api.assumptions);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    invocation.notices.warning(`done, but a later orders push does not know of it: ${error.message}`);
  }
}
