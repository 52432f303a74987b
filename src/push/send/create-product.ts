import { type Failure, isInterruption } from '../../base/failure.ts';
import type { Api, CallInput } from '../../client/caller.ts';
import { ServiceFailure } from '../../client/service-failure.ts';
import type { Operations } from '../../contract/operations.ts';
import type { Product } from '../../contract/resources.ts';
import type { PushJournal } from '../../store/journal/push-journal.ts';
import type { UndoLog } from '../../store/runs/undo-log.ts';
import { contradictoryReply, verified } from '../fields/contradictory-reply.ts';
import type { LostCreations } from '../lookup/lost-creations.ts';
import type { ProductGroups } from '../lookup/product-groups.ts';
import type { Breaker } from '../steps/breaker.ts';
import type { Canary } from '../steps/canary.ts';
import { outcomeOf, type PushOutcome } from '../steps/outcome.ts';
import { outcomeOfFailure } from '../steps/outcome-of-failure.ts';
import { productEntry } from '../steps/product-image.ts';

/** The body of a creation (API 4.1). */
type ProductBody = CallInput<Operations['createProduct']>['body'];

/** The state shared by the creations of one push of products. */
interface Creating {
  readonly api: Api;
  readonly breaker: Breaker;
  readonly groups: ProductGroups;
  readonly journal: Pick<PushJournal, 'begin' | 'end' | 'record'>;
  readonly undoLog: UndoLog;
  readonly creationCanary: Canary;
  readonly lost: LostCreations;
}

interface MadeProduct {
  readonly id: string;
  readonly groupId: string | undefined;
  /** The difference between the sent product and the service's reply, if any. */
  readonly failure: Failure | undefined;
}

/**
 * Creates a product. The first one of a named group that does not exist yet creates the group. `setAside` is called if
 * the answer was lost and the product has to be looked for.
 * @throws ServiceFailure if the product is not the cause.
 */
export async function createProduct(
  creating: Creating,
  planned: PushOutcome,
  body: ProductBody,
  setAside: () => void,
): Promise<PushOutcome> {
  const { breaker, undoLog } = creating;
  try {
    const { id, failure } = await makeInGroup(creating, body, setAside);
    const { file, line, originId } = planned;
    await undoLog.afterWrite({ kind: 'created', file, line, originId, id }).catch(breaker.stop);
    return verified(outcomeOf(planned, 'created', { id }), failure, breaker);
  } catch (error) {
    return outcomeOfFailure(planned, error, breaker);
  }
}

async function makeInGroup(
  creating: Creating,
  body: ProductBody,
  setAside: () => void,
): Promise<MadeProduct> {
  const { groupName, ...others } = body;
  if (groupName === undefined) return make(creating, body, setAside);
  let first: Promise<MadeProduct> | undefined;
  const groupId = await creating.groups.findOrCreate(groupName, async () => {
    first = make(creating, body, setAside);
    return (await first).groupId;
  });
  return first ?? make(creating, groupId === undefined ? body : { ...others, groupId }, setAside);
}

/**
 * Creates a product. If the answer was lost, looks for the product, and creates it again once the service has shown
 * that it does not have it.
 */
async function make(creating: Creating, body: ProductBody, setAside: () => void): Promise<MadeProduct> {
  const { breaker, journal, lost } = creating;
  let loss: ServiceFailure | undefined;
  for (;;) {
    const before = loss;
    const sent = await sendOnceAlone(creating, body).catch((error: unknown) => {
      if (before === undefined || !breaker.isStoppedBy(error)) throw error;
      throw before.because(`${before.reason}; not sent again, because the push ends`);
    });
    if (!(sent instanceof ServiceFailure)) return sent;
    loss = sent;
    setAside();
    const found = await lost.poll(body.originId, loss);
    if (found === undefined) continue;
    const accepted = { entry: productEntry(body), objectId: found.id };
    await journal.record('product', [accepted]).catch(breaker.stop);
    return checked(creating, body, found, found);
  }
}

/**
 * Sends a creation. The first one is sent alone, and so is the next one after a lost answer. Resolves to the failure if
 * the answer was lost.
 */
function sendOnceAlone(creating: Creating, body: ProductBody): Promise<MadeProduct | ServiceFailure> {
  const { breaker, creationCanary } = creating;
  const send = async () => {
    breaker.check();
    const attempt = breaker.begin();
    try {
      return await sendOnce(creating, body);
    } catch (error) {
      if (!(error instanceof ServiceFailure && error.isOutcomeUnknown)) throw error;
      breaker.troubled(error, attempt);
      return error;
    }
  };
  return creationCanary(send, (sent) => {
    if (sent instanceof ServiceFailure) return 'doubt';
    return sent.failure === undefined ? 'proof' : 'nothing';
  });
}

/**
 * Sends a creation, journaled before it leaves. If the end cannot be journaled, the push stops, and the creation stays
 * open in the journal for the next run to look up.
 * @throws ServiceFailure of the creation; its `isOutcomeUnknown` is true if the product may still appear.
 */
async function sendOnce(creating: Creating, body: ProductBody): Promise<MadeProduct> {
  const { api, breaker, journal, lost } = creating;
  const entry = productEntry(body);
  const request = await journal.begin('product', [entry]);
  const mark = lost.begin();
  try {
    const { value, sent } = await api.call('createProduct', { body });
    const accepted = [{ entry, objectId: value.id }];
    await journal.end(request, { accepted }).catch(breaker.stop);
    breaker.succeeded();
    lost.created(body.originId, mark);
    return checked(creating, body, value, sent);
  } catch (error) {
    const isUnknown = error instanceof ServiceFailure && error.isOutcomeUnknown;
    // Any other error proves nothing: the creation stays open, and the next run treats it as unknown.
    if (!isInterruption(error) && !(error instanceof ServiceFailure)) throw error;
    await journal.end(request, isUnknown ? { unknown: [entry] } : {}).catch(breaker.stop);
    throw error;
  }
}

/** Stops the push if the service shows the product differently from what was sent. */
function checked(
  { api, breaker }: Creating,
  body: ProductBody,
  { id, group }: Product,
  shown: unknown,
): MadeProduct {
  const failure = contradictoryReply({ operation: 'createProduct', body }, shown, api);
  if (failure !== undefined) breaker.stop(failure);
  return { id, groupId: group?.id ?? undefined, failure };
}
