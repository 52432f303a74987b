import type { Failure } from '../../base/failure.ts';
import type { Api } from '../../client/caller.ts';
import { ServiceFailure } from '../../client/service-failure.ts';
import type { UndoLog } from '../../store/runs/undo-log.ts';
import { noGroup, type ProductEntry, type ProductWrite } from '../decide/decide-product.ts';
import type { ProductBody } from '../decide/product-changes.ts';
import type { LostCreations } from '../lookup/lost-creations.ts';
import type { ProductGroups } from '../lookup/product-groups.ts';
import type { Breaker } from '../steps/breaker.ts';
import type { FirstAlone } from '../steps/first-alone.ts';
import { outcomeOf, type PushOutcome } from '../steps/outcome.ts';
import { outcomeOfFailure } from '../steps/outcome-of-failure.ts';
import type { ProductJournal } from '../steps/product-journal.ts';
import { contradicted, contradictoryReply } from './contradictory-reply.ts';
import { type CreatedProduct, createdProduct, type ProductWriter } from './product-writer.ts';

/** What the writes of one push of products share. */
interface ProductSending {
  readonly api: Api;
  readonly breaker: Breaker;
  readonly groups: ProductGroups;
  readonly journal: Pick<ProductJournal, 'taken'>;
  readonly undoLog: UndoLog;
  readonly firstCreation: FirstAlone;
  readonly firstUpdate: FirstAlone;
  readonly writer: ProductWriter;
  readonly lost: Pick<LostCreations, 'lookFor'>;
}

/** A product that is written, and what to call while it is looked for. */
interface Step extends ProductSending {
  readonly setAside: () => void;
}

type Creation = Extract<ProductWrite, { readonly kind: 'create' }>;
type Update = Extract<ProductWrite, { readonly kind: 'update' }>;

/**
 * Carries out what was decided on one record. `setAside` is called if its creation was lost and has to be looked for.
 * @throws ServiceFailure for what it is not to blame for.
 */
export async function sendProduct(
  common: ProductSending,
  step: ProductEntry,
  setAside: () => void = () => undefined,
): Promise<PushOutcome> {
  const { outcome, write, foundId } = step;
  const { originId } = outcome;
  const sending = { ...common, setAside };
  try {
    if (foundId !== undefined) await sending.journal.taken({ originId }, foundId).catch(sending.breaker.stop);
    switch (write?.kind) {
      case undefined:
        return outcome;
      case 'create':
        return await create(sending, outcome, write);
      case 'update':
        return await update(sending, step, write);
    }
  } catch (error) {
    return withAdvice(outcomeOfFailure(outcome, error, sending.breaker), error);
  }
}

/** How the error of a product ends whose categories were refused. */
export const categoriesFirst = 'push the categories first';

/** A product is refused for its categories where the service does not have them (yet). */
function withAdvice(outcome: PushOutcome, error: unknown): PushOutcome {
  const isOfCategories =
    error instanceof ServiceFailure && error.issues.some(({ loc }) => loc.includes('categories'));
  if (outcome.outcome !== 'rejected' || !isOfCategories) return outcome;
  return { ...outcome, error: `${outcome.error}; ${categoriesFirst}` };
}

async function create(sending: Step, planned: PushOutcome, { body }: Creation): Promise<PushOutcome> {
  const { groupName, ...others } = body;
  if (groupName === undefined) return created(sending, planned, make(sending, body));
  let first: Promise<MadeProduct> | undefined;
  const groupId = await sending.groups.findOrCreate(groupName, async () => {
    first = make(sending, body);
    return (await first).groupId;
  });
  return created(
    sending,
    planned,
    first ?? make(sending, groupId === undefined ? body : { ...others, groupId }),
  );
}

interface MadeProduct extends CreatedProduct {
  /** What the service shows of it otherwise than it was sent. */
  readonly failure: Failure | undefined;
}

/**
 * Creates a product. One whose answer was lost is looked for, and created again once the service has shown that it does
 * not have it.
 */
async function make(sending: Step, body: ProductBody): Promise<MadeProduct> {
  const { breaker, journal, lost, setAside } = sending;
  let loss: ServiceFailure | undefined;
  for (;;) {
    const before = loss;
    const sent = await makeOnce(sending, body).catch((error: unknown) => {
      if (before === undefined || !breaker.isStoppedBy(error)) throw error;
      throw before.because(`${before.reason}; not sent again, because the push ends`);
    });
    if (sent.kind === 'made') return sent.product;
    loss = sent.failure;
    setAside();
    const found = await lost.lookFor(body.originId, loss);
    if (found === undefined) continue;
    await journal.taken(body, found.id).catch(breaker.stop);
    return checked(sending, body, createdProduct(found, found));
  }
}

type Sent =
  | { readonly kind: 'made'; readonly product: MadeProduct }
  | { readonly kind: 'lost'; readonly failure: ServiceFailure };

/** Sends one creation, the first one alone, and so the next one after an answer was lost. */
function makeOnce(sending: ProductSending, body: ProductBody): Promise<Sent> {
  const { breaker, firstCreation, writer } = sending;
  const send = async (): Promise<Sent> => {
    breaker.check();
    const attempt = breaker.begin();
    try {
      return { kind: 'made', product: checked(sending, body, await writer.create(body)) };
    } catch (error) {
      if (!(error instanceof ServiceFailure && error.isOutcomeUnknown)) throw error;
      breaker.troubled(error, attempt);
      return { kind: 'lost', failure: error };
    }
  };
  return firstCreation(send, (sent) => {
    if (sent.kind === 'lost') return 'doubt';
    return sent.product.failure === undefined ? 'proof' : 'nothing';
  });
}

/** Stops the push if the service shows the product otherwise than it was sent. */
function checked({ api, breaker }: ProductSending, body: ProductBody, made: CreatedProduct): MadeProduct {
  const failure = contradictoryReply({ operation: 'createProduct', body }, made.shown, api);
  if (failure !== undefined) breaker.stop(failure);
  return { ...made, failure };
}

async function created(
  { breaker, undoLog }: ProductSending,
  planned: PushOutcome,
  creation: Promise<MadeProduct>,
): Promise<PushOutcome> {
  const { id, failure } = await creation;
  const { file, line, originId } = planned;
  await undoLog.afterWrite({ kind: 'created', file, line, originId, id }).catch(breaker.stop);
  const done = outcomeOf(planned, 'created', { id });
  return failure === undefined ? done : contradicted(done, failure, breaker);
}

async function update(
  sending: ProductSending,
  step: ProductEntry,
  { changes, groupName, ...write }: Update,
): Promise<PushOutcome> {
  const { outcome } = step;
  if (groupName === undefined) return change(sending, step, { ...write, changes });
  const groupId = await sending.groups.find(groupName);
  if (groupId === undefined) return outcomeOf(outcome, 'rejected', { error: noGroup(groupName) });
  const group = { from: outcome.changes?.['groupId']?.from ?? null, to: groupId };
  const placed = { ...outcome, changes: { ...outcome.changes, groupId: group } };
  return change(sending, { ...step, outcome: placed }, { ...write, changes: { ...changes, groupId } });
}

/** Changes a product, the first one alone. */
function change(
  { api, breaker, firstUpdate, journal, undoLog, writer }: ProductSending,
  { outcome, before }: ProductEntry,
  { id, changes }: Omit<Update, 'groupName'>,
): Promise<PushOutcome> {
  return firstUpdate(async () => {
    breaker.check();
    const { file, line, originId, changes: replaced = {} } = outcome;
    await undoLog.beforeUpdate({ kind: 'updated', file, line, originId, id, changes: replaced });
    const shown = await writer.update(id, changes);
    const { imageUrl } = changes;
    if (imageUrl !== undefined) await journal.taken({ originId, imageUrl }, id).catch(breaker.stop);
    const write = { operation: 'updateProduct', params: { productId: id }, body: changes, before } as const;
    const failure = contradictoryReply(write, shown, api);
    return failure === undefined ? outcome : contradicted(outcome, failure, breaker);
  });
}
