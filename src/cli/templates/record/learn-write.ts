import { Failure } from '../../../base/failure.ts';
import type { Json, JsonObject } from '../../../base/json.ts';
import { order, orderItem, product } from '../../../contract/resources.ts';
import { itemUpdateEntry } from '../../../push/compile/order-item-entry.ts';
import { type OrderWrite, recordOrderWrite } from '../../../push/lookup/learned-order.ts';
import { productEntry } from '../../../push/steps/product-image.ts';
import type { PushJournal } from '../../../store/journal/push-journal.ts';
import { accountNote, openExistingPushJournal } from '../../../store/open-store.ts';
import { checkAccount } from '../../../store/state/account-note.ts';
import type { Invocation } from '../../runtime/command.ts';
import { openState, type StateFlags } from '../../runtime/find-state.ts';
import type { Session } from '../../runtime/session.ts';

/** A write that later pushes have to know about, with its body. */
export type LearnedWrite =
  | OrderWrite
  | { readonly operation: 'updateOrderItem'; readonly body: JsonObject }
  | { readonly operation: 'updateProduct'; readonly body: JsonObject };

/** Records a write in the journal, if there is one; a failure here does not undo the write. */
export async function learnWrite(
  write: LearnedWrite,
  reply: Json,
  { account, api }: Session,
  invocation: Invocation<StateFlags>,
): Promise<void> {
  const record = recordingOf(write, reply, api);
  if (record === undefined) return;
  try {
    const state = await openState(invocation, { isReadOnly: true });
    await checkAccount(accountNote(state), account);
    const journal = await openExistingPushJournal(state);
    if (journal === undefined) return;
    invocation.defer(() => journal.close());
    await record(journal);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    invocation.notices.warning(`done, but not recorded for later pushes: ${error.message}`);
  }
}

/**
 * The function that records a write, as far as its reply shows what was written; undefined if there is nothing to
 * record.
 */
function recordingOf(
  write: LearnedWrite,
  reply: Json,
  { assumptions }: Session['api'],
): ((journal: PushJournal) => Promise<void>) | undefined {
  if (write.operation === 'updateOrderItem') {
    const { data } = orderItem().safeParse(reply);
    return (
      data &&
      ((journal) => journal.record('order-item-update', [{ entry: itemUpdateEntry(data.id, write.body) }]))
    );
  }
  if (write.operation === 'updateProduct') {
    const { data: { id: objectId, originId } = {} } = product().safeParse(reply);
    const { imageUrl } = write.body;
    if (!objectId || !originId || typeof imageUrl !== 'string') return undefined;
    return (journal) =>
      journal.record('product', [{ entry: productEntry({ originId, imageUrl }), objectId }]);
  }
  const { data } = order().safeParse(reply);
  return data && ((journal) => recordOrderWrite(journal, write, data, assumptions));
}
