import type { Failure } from '../../base/failure.ts';
import type { Api } from '../../client/caller.ts';
import { ServiceFailure } from '../../client/service-failure.ts';
import type { UndoLog } from '../../store/runs/undo-log.ts';
import { noGroup, type ProductEntry, type ProductWrite } from '../decide/decide-product.ts';
import type { ProductBody } from '../decide/product-changes.ts';
import type { ProductGroups } from '../lookup/product-groups.ts';
import type { Breaker } from '../steps/breaker.ts';
import type { FirstAlone } from '../steps/first-alone.ts';
import { outcomeOf, type PushOutcome } from '../steps/outcome.ts';
import { outcomeOfFailure } from '../steps/outcome-of-failure.ts';
import type { ProductJournal } from '../steps/product-journal.ts';
import { contradicted, contradictoryReply } from './contradictory-reply.ts';
import type { CreatedProduct, ProductWriter } from './product-writer.ts';

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
}

type Creation = Extract<ProductWrite, { readonly kind: 'create' }>;
type Update = Extract<ProductWrite, { readonly kind: 'update' }>;

/** Carries out what was decided on one record. @throws ServiceFailure for what it is not to blame for. */
export async function sendProduct(sending: ProductSending, step: ProductEntry): Promise<PushOutcome> {
  const { outcome, write, foundId } = step;
  const { originId } = outcome;
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

async function create(
  sending: ProductSending,
  planned: PushOutcome,
  { body }: Creation,
): Promise<PushOutcome> {
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

/** Creates a product, the first one alone. */
function make(
  { api, breaker, firstCreation, writer }: ProductSending,
  body: ProductBody,
): Promise<MadeProduct> {
  const work = async () => {
    breaker.check();
    const made = await writer.create(body);
    const failure = contradictoryReply({ operation: 'createProduct', body }, made.shown, api);
    if (failure !== undefined) breaker.stop(failure);
    return { ...made, failure };
  };
  return firstCreation(work, ({ failure }) => failure === undefined);
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
