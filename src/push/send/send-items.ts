import type { Api } from '../../client/caller.ts';
import type { PushJournal } from '../../store/journal/push-journal.ts';
import type { UndoLog } from '../../store/runs/undo-log.ts';
import type { ItemEntry, ItemWrite } from '../decide/decide-item.ts';
import { type Breaker, finishedBy } from '../steps/breaker.ts';
import { createFirstAlone, type FirstAlone } from '../steps/first-alone.ts';
import type { PushOutcome } from '../steps/outcome.ts';
import { outcomeOfFailure } from '../steps/outcome-of-failure.ts';
import { recordAccepted } from '../steps/record-accepted.ts';
import { runSteps, type StepOptions } from '../steps/run-steps.ts';
import { contradicted, contradictoryReply } from './contradictory-reply.ts';

/** What the updates of one push of items share. */
interface ItemSending extends StepOptions {
  readonly api: Api;
  readonly breaker: Breaker;
  readonly journal: Pick<PushJournal, 'begin' | 'end'>;
  readonly undoLog: UndoLog;
  /** Awaits the turn of a request. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * Carries out what was decided on items (API 4.13); the outcomes come in the order of the steps.
 * @throws as `PushFlow.send`.
 */
export function sendItems(
  sending: ItemSending,
  steps: AsyncIterable<readonly ItemEntry[]>,
): AsyncIterable<readonly PushOutcome[]> {
  const firstAlone = createFirstAlone();
  const outcomes = runSteps(steps, sending, async (step, report) => {
    const { outcome, write } = step;
    if (write === undefined) report(outcome);
    else report(await sending.inTurn(() => sendItem({ ...sending, firstAlone }, step, write)));
    sending.breaker.check();
  });
  return finishedBy(sending.breaker, outcomes);
}

async function sendItem(
  sending: ItemSending & { readonly firstAlone: FirstAlone },
  step: ItemEntry,
  write: ItemWrite,
): Promise<PushOutcome> {
  const { breaker, firstAlone } = sending;
  try {
    return await firstAlone(() => {
      breaker.check();
      return updateItem(sending, step, write);
    });
  } catch (error) {
    return outcomeOfFailure(step.outcome, error, breaker);
  }
}

/** Sends an update; its outcome is the planned one, unless the service shows something else of it. */
async function updateItem(
  { api, breaker, journal, undoLog }: ItemSending,
  { outcome, before, orderId }: ItemEntry,
  { id, body, hash }: ItemWrite,
): Promise<PushOutcome> {
  const { file, line, originId, changes } = outcome;
  const written = { file, line, originId, id };
  const isSeen = orderId !== undefined && changes !== undefined;
  if (isSeen) await undoLog.beforeUpdate({ kind: 'updated', ...written, orderId, changes });
  const params = { orderItemId: id };
  const { sent } = await api.call('updateOrderItem', { params, body });
  breaker.succeeded();
  if (!isSeen) await undoLog.afterWrite({ kind: 'unseen', ...written }).catch(breaker.stop);
  const failure = contradictoryReply({ operation: 'updateOrderItem', params, body, before }, sent, api);
  if (failure !== undefined) return contradicted(outcome, failure, breaker);
  const entry = { originId: id, contentHash: hash, productOriginId: body.productOriginId };
  await recordAccepted(journal, 'order-item-update', { entry }).catch(breaker.stop);
  return outcome;
}
