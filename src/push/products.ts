import { backoffMs } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import { mapConcurrently } from '../base/lists.ts';
import type { Random } from '../base/random.ts';
import type { Api, CallInput } from '../client/caller.ts';
import { ServiceFailure } from '../client/service-failure.ts';
import type { Operations } from '../contract/operations.ts';
import type { Product } from '../contract/resources.ts';
import type { Entry } from '../input/place.ts';
import type { ProductRecord } from '../input/record-kinds.ts';
import { type Breaker, createBreaker } from './breaker.ts';
import { findProducts, lookupGroups } from './find-products.ts';
import { type Outcome, type OutcomeWord, outcomeOf } from './outcome.ts';
import { productChanges } from './product-changes.ts';
import { createProductGroups, type ProductGroups } from './product-groups.ts';
import { runSteps, type StepOptions } from './run-steps.ts';

/** What to do with a product the service has already: change what differs, leave it alone, or reject the record. */
export const onExistingChoices = ['update', 'skip', 'fail'] as const;
export type OnExisting = (typeof onExistingChoices)[number];

export interface ProductsPush extends StepOptions {
  readonly batches: AsyncIterable<readonly Entry<ProductRecord>[]>;
  readonly api: Api;
  readonly clock: Clock;
  readonly random: Random;
  readonly onExisting: OnExisting;
  /** Rejects records of products the service does not have. */
  readonly isUpdateOnly: boolean;
}

/** Lookups of existing products that may be under way ahead of the writes. */
const lookupsAhead = 2;

/** How often the creation of one product is tried when its answer is lost and the product is not there. */
const createAttemptsMaximum = 5;
const createPauses = { firstMs: 100, longestMs: 2000 } as const;

interface Step {
  readonly entry: Entry<ProductRecord>;
  readonly existing: readonly Product[];
}

interface Context extends Pick<ProductsPush, 'api' | 'clock' | 'random' | 'onExisting' | 'isUpdateOnly'> {
  readonly breaker: Breaker;
  readonly groups: ProductGroups;
}

/**
 * Creates products the service does not have and changes what differs in those it has (API 4.1, 4.2, 4.4), by originId.
 * What is the same is not written. A creation whose answer was lost is looked up before it is tried again.
 * @throws ServiceFailure for what no single record is to blame for, after the outcomes of all that was under way.
 */
export async function* pushProducts(push: ProductsPush): AsyncGenerator<readonly Outcome[]> {
  const context: Context = { ...push, breaker: createBreaker(), groups: createProductGroups(push.api) };
  yield* runSteps(plan(context, push.batches), push, async (step, report) => {
    report(await pushProduct(context, step));
    context.breaker.check();
  });
}

async function* plan({ api }: Context, batches: ProductsPush['batches']): AsyncGenerator<Step> {
  const lookups = mapConcurrently(lookupGroups(batches), { width: lookupsAhead }, async (entries) => ({
    entries,
    existing: await findProducts(
      api,
      entries.map(({ record }) => record.originId),
    ),
  }));
  for await (const { entries, existing } of lookups) {
    for (const entry of entries) yield { entry, existing: existing.get(entry.record.originId) ?? [] };
  }
}

async function pushProduct(context: Context, { entry, existing }: Step): Promise<Outcome> {
  const [product, second] = existing;
  try {
    if (second !== undefined)
      return rejected(entry, `the service has it more than once: ${existing.map(({ id }) => id).join(', ')}`);
    return product === undefined ? await create(context, entry) : await update(context, entry, product);
  } catch (error) {
    return outcomeOfFailure(context, entry, error);
  }
}

async function create(context: Context, entry: Entry<ProductRecord>): Promise<Outcome> {
  const { record } = entry;
  if (context.isUpdateOnly)
    return rejected(entry, 'the service has no such product, and --update-only creates none');
  const { name, groupName, ...rest } = record;
  if (name === undefined) return rejected(entry, 'name is needed to create a product');
  const fields = {
    ...rest,
    name,
    ...(rest.categories === undefined ? {} : { categories: [...rest.categories] }),
  };
  if (groupName === undefined || rest.groupId !== undefined) {
    return created(entry, createSurely(context, fields));
  }
  let first: Promise<Product> | undefined;
  const groupId = await context.groups.findOrCreate(groupName, async () => {
    first = createSurely(context, { ...fields, groupName });
    return (await first).group?.id ?? undefined;
  });
  return created(
    entry,
    first ?? createSurely(context, { ...fields, ...(groupId === undefined ? { groupName } : { groupId }) }),
  );
}

type CreateBody = CallInput<Operations['createProduct']>['body'];

/**
 * Creates a product exactly once as far as that can be known: after a lost answer the service is asked whether the product
 * is there before it is sent again.
 * @throws ServiceFailure of the last attempt; its `isOutcomeUnknown` says whether the product may yet appear.
 */
async function createSurely({ api, clock, random, breaker }: Context, body: CreateBody): Promise<Product> {
  let lost: ServiceFailure | undefined;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { value } = await api.call('createProduct', { body });
      breaker.succeeded();
      return value;
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error;
      if (error.isOutcomeUnknown) lost = error;
      // A refusal after a lost attempt may mean that the lost one arrived after all.
      else if (lost === undefined || error.kind !== 'refused') throw error;
      if (error.isOutcomeUnknown) await clock.sleep(backoffMs(attempt, random, createPauses));
      const found = await findAgain(api, body.originId, lost);
      if (found !== undefined) return found;
      if (!error.isOutcomeUnknown || attempt === createAttemptsMaximum) throw error;
    }
  }
}

/** The product whose creation was `lost`, if it is there. @throws `lost` when that cannot be known either. */
async function findAgain(api: Api, originId: string, lost: ServiceFailure): Promise<Product | undefined> {
  try {
    return (await findProducts(api, [originId])).get(originId)?.[0];
  } catch (error) {
    const isPassing = error instanceof ServiceFailure && isPassingFailure(error);
    throw isPassing ? lost : error;
  }
}

async function created(entry: Entry<ProductRecord>, product: Promise<Product>): Promise<Outcome> {
  return outcome(entry, 'created', { id: (await product).id });
}

async function update(context: Context, entry: Entry<ProductRecord>, product: Product): Promise<Outcome> {
  const { api, onExisting, groups, breaker } = context;
  const { record } = entry;
  const { id } = product;
  if (onExisting === 'skip') return outcome(entry, 'skipped', { id });
  if (onExisting === 'fail')
    return rejected(entry, 'the service has it already, and --on-existing fail refuses that');
  let { groupId } = record;
  if (groupId === undefined && record.groupName !== undefined) {
    groupId = await groups.find(record.groupName);
    if (groupId === undefined) {
      return rejected(
        entry,
        `no product group is named '${record.groupName}', and an update cannot make one`,
      );
    }
  }
  const changes = productChanges(record, product, groupId, api.assumptions);
  if (Object.keys(changes).length === 0) return outcome(entry, 'unchanged', { id });
  await api.call('updateProduct', { params: { productId: id }, body: changes });
  breaker.succeeded();
  return outcome(entry, 'updated', { id });
}

function outcomeOfFailure({ breaker }: Context, entry: Entry<ProductRecord>, error: unknown): Outcome {
  if (!(error instanceof ServiceFailure)) throw error;
  const { kind, reason, isOutcomeUnknown } = error;
  if (kind === 'refused' || kind === 'not-found') {
    breaker.succeeded();
    return rejected(entry, reason);
  }
  if (!isPassingFailure(error)) throw error;
  breaker.troubled(error);
  return outcome(entry, isOutcomeUnknown ? 'unknown' : 'failed', { error: reason });
}

/** Whether the same request may be answered another time. */
function isPassingFailure({ kind }: ServiceFailure): boolean {
  return kind === 'unreachable' || kind === 'overloaded' || kind === 'unreadable-reply';
}

function outcome(
  { file, line, record }: Entry<ProductRecord>,
  word: OutcomeWord,
  details: Pick<Outcome, 'id' | 'error'>,
): Outcome {
  return outcomeOf({ file, line, originId: record.originId }, word, details);
}

function rejected(entry: Entry<ProductRecord>, error: string): Outcome {
  return outcome(entry, 'rejected', { error });
}
