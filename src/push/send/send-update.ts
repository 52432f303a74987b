import { Failure, isInterruption } from '../../base/failure.ts';
import type { Api } from '../../client/caller.ts';
import { ServiceFailure } from '../../client/service-failure.ts';
import type { Acceptance, JournaledKind, PushJournal } from '../../store/journal/push-journal.ts';
import type { UndoLog, UndoRecord } from '../../store/runs/undo-log.ts';
import { contradictoryReply, verified } from '../fields/contradictory-reply.ts';
import type { Breaker } from '../steps/breaker.ts';
import type { Canary } from '../steps/canary.ts';
import type { PushOutcome } from '../steps/outcome.ts';
import { outcomeOfFailure } from '../steps/outcome-of-failure.ts';

/** The state shared by the updates of one push. */
export interface Updating {
  readonly api: Api;
  readonly breaker: Breaker;
  readonly journal: Pick<PushJournal, 'record'>;
  readonly undoLog?: UndoLog;
  /** The canary of updates. */
  readonly canary: Canary;
}

/** The operations that update single records, with the parameter for the id. */
const idNames = { updateProduct: 'productId', updateOrderItem: 'orderItemId' } as const;

/** An update of one record. */
export interface Update {
  readonly operation: keyof typeof idNames;
  readonly id: string;
  readonly body: object;
  /** The record at the service, if known. */
  readonly before?: unknown;
  /** See `Write`. */
  readonly originId?: string | undefined;
  /** The record to keep for an undo. */
  readonly undo?: UndoRecord;
  /** The acceptance to journal. */
  readonly accepted?: Acceptance & { readonly of: JournaledKind };
  /** The same acceptance under its other kind. */
  readonly alsoAccepted?: Acceptance;
}

/**
 * Sends an update; the first one of a push is sent alone. An update may be repeated, so nothing is journaled before it.
 * Its outcome is the planned one, unless the service shows something else than was sent.
 * @throws ServiceFailure if this record is not the cause.
 */
export async function sendUpdate(
  updating: Updating,
  planned: PushOutcome,
  update: Update,
): Promise<PushOutcome> {
  const { breaker, canary } = updating;
  try {
    return await canary(() => {
      breaker.check();
      return sendOnce(updating, planned, update);
    });
  } catch (error) {
    return outcomeOfFailure(planned, error, breaker);
  }
}

async function sendOnce(
  { api, breaker, journal, undoLog }: Updating,
  planned: PushOutcome,
  { operation, id, body, before, originId, undo, accepted, alsoAccepted }: Update,
): Promise<PushOutcome> {
  const params = { [idNames[operation]]: id };
  if (undo?.kind === 'updated') await undoLog?.beforeUpdate(undo);
  const { sent } = await api.call(operation, { params, body } as never).catch(async (error: unknown) => {
    const isCancelled = undo?.kind === 'updated' && hadNoEffect(error, operation);
    if (isCancelled) await undoLog?.cancelUpdate(undo).catch(breaker.stop);
    throw error;
  });
  breaker.succeeded();
  if (undo !== undefined && undo.kind !== 'updated') await undoLog?.afterWrite(undo).catch(breaker.stop);
  const failure = contradictoryReply({ operation, params, body, before, originId }, sent, api);
  // A content hash would make the next push skip a wrong item. For a product, only the image is kept, so it is safe.
  if (accepted !== undefined && (failure === undefined || accepted.of === 'product'))
    await journal
      .record(accepted.of, alsoAccepted ? [accepted, alsoAccepted] : [accepted])
      .catch(breaker.stop);
  return verified(planned, failure, breaker);
}

/** True if a failed update was refused or never sent. */
function hadNoEffect(error: unknown, operation: Update['operation']): boolean {
  // A completed update may be followed by a read, whose failure does not mean that the update failed.
  if (error instanceof ServiceFailure) return error.hadNoEffect && error.place.operation === operation;
  return isInterruption(error) || (error instanceof Failure && error.kind === 'usage');
}
