import type { Clock } from '../base/clock.ts';
import { mapConcurrently } from '../base/lists.ts';
import type { Random } from '../base/random.ts';
import type { Api } from '../client/caller.ts';
import { ServiceFailure } from '../client/service-failure.ts';
import type { Product } from '../contract/resources.ts';
import type { Entry } from '../input/place.ts';
import type { ProductRecord } from '../input/record-kinds.ts';
import type { AcceptedImages } from './accepted-images.ts';
import { type Breaker, createBreaker } from './breaker.ts';
import { findProducts, lookupGroups } from './find-products.ts';
import { type Outcome, type OutcomeWord, outcomeOf, type RecordPlace } from './outcome.ts';
import { outcomeOfFailure } from './outcome-of-failure.ts';
import { fieldChanges, productChanges } from './product-changes.ts';
import { createProductGroups, type ProductGroups } from './product-groups.ts';
import {
  type CreatedProduct,
  createProductWriter,
  dryProductWriter,
  type ProductBody,
  type ProductWriter,
} from './product-writer.ts';
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
  readonly images: AcceptedImages;
}

/** Lookups of existing products that may be under way ahead of the writes. */
const lookupsAhead = 2;

interface Step {
  readonly entry: Entry<ProductRecord>;
  readonly existing: readonly Product[];
  /** Whether the service took its image before. */
  readonly isImageAccepted: boolean;
}

interface Context extends Pick<ProductsPush, 'api' | 'onExisting' | 'isUpdateOnly' | 'isDryRun' | 'images'> {
  readonly breaker: Breaker;
  readonly groups: ProductGroups;
  readonly writer: ProductWriter;
}

/**
 * Creates products the service does not have and changes what differs in those it has (API 4.1, 4.2, 4.4), by originId.
 * What is the same is not written. A creation whose answer was lost is looked up before it is tried again. A dry run makes
 * the same comparisons and writes nothing.
 * @throws ServiceFailure for what no single record is to blame for, after the outcomes of all that was under way.
 */
export async function* pushProducts(push: ProductsPush): AsyncGenerator<readonly Outcome[]> {
  const breaker = createBreaker();
  const writer = push.isDryRun ? dryProductWriter : createProductWriter({ ...push, breaker });
  const context: Context = { ...push, breaker, groups: createProductGroups(push.api), writer };
  yield* runSteps(plan(context, push.batches), push, async (step, report) => {
    report(await pushProduct(context, step));
    context.breaker.check();
  });
}

async function* plan({ api, images }: Context, batches: ProductsPush['batches']): AsyncGenerator<Step> {
  const lookups = mapConcurrently(
    lookupGroups(batches, ({ record }) => record.originId),
    { width: lookupsAhead },
    async (entries) => ({
      entries,
      existing: await findProducts(
        api,
        entries.map(({ record }) => record.originId),
      ),
    }),
  );
  for await (const { entries, existing } of lookups) {
    const isAccepted = images.find(entries.map(({ record }) => record.originId));
    for (const entry of entries) {
      const { originId, imageUrl } = entry.record;
      const isImageAccepted = imageUrl !== undefined && isAccepted(originId, imageUrl);
      yield { entry, existing: existing.get(originId) ?? [], isImageAccepted };
    }
  }
}

async function pushProduct(context: Context, step: Step): Promise<Outcome> {
  const { entry, existing } = step;
  const [product, second] = existing;
  try {
    if (second !== undefined)
      return rejected(entry, `the service has it more than once: ${existing.map(({ id }) => id).join(', ')}`);
    return product === undefined ? await create(context, entry) : await update(context, step, product);
  } catch (error) {
    return withAdvice(outcomeOfFailure(placeOf(entry), error, context.breaker), error);
  }
}

/** How the error of a product ends whose categories were refused. */
export const categoriesFirst = 'push the categories first';

/** A product is refused for its categories where the service does not have them (yet). */
function withAdvice(outcome: Outcome, error: unknown): Outcome {
  const isOfCategories =
    error instanceof ServiceFailure && error.issues.some(({ loc }) => loc.includes('categories'));
  if (outcome.outcome !== 'rejected' || !isOfCategories) return outcome;
  return { ...outcome, error: `${outcome.error}; ${categoriesFirst}` };
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
    return created(context, fields, entry);
  }
  let first: Promise<CreatedProduct> | undefined;
  const groupId = await context.groups.findOrCreate(groupName, async () => {
    first = context.writer.create({ ...fields, groupName });
    return (await first).groupId;
  });
  const body = { ...fields, ...(groupId === undefined ? { groupName } : { groupId }) };
  return created(context, body, entry, first);
}

async function created(
  context: Context,
  body: ProductBody,
  entry: Entry<ProductRecord>,
  creation: Promise<CreatedProduct> = context.writer.create(body),
): Promise<Outcome> {
  const { id } = await creation;
  await rememberImage(context, body.originId, body.imageUrl);
  return outcome(entry, 'created', id === undefined ? {} : { id });
}

async function rememberImage(
  { breaker, images, isDryRun }: Context,
  originId: string,
  imageUrl: string | undefined,
): Promise<void> {
  if (imageUrl !== undefined && !isDryRun) {
    await images.remember(originId, imageUrl).catch(breaker.stop);
  }
}

async function update(context: Context, step: Step, product: Product): Promise<Outcome> {
  const { api, onExisting, groups, writer } = context;
  const { entry, isImageAccepted } = step;
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
  const changes = productChanges(record, product, { ...api.assumptions, groupId, isImageAccepted });
  if (Object.keys(changes).length === 0) return outcome(entry, 'unchanged', { id });
  await writer.update(id, changes);
  await rememberImage(context, record.originId, changes.imageUrl);
  return outcome(entry, 'updated', { id, changes: fieldChanges(product, changes) });
}

function placeOf({ file, line, record }: Entry<ProductRecord>): RecordPlace {
  return { file, line, originId: record.originId };
}

function outcome(
  entry: Entry<ProductRecord>,
  word: OutcomeWord,
  details: Pick<Outcome, 'id' | 'changes' | 'error'>,
): Outcome {
  return outcomeOf(placeOf(entry), word, details);
}

function rejected(entry: Entry<ProductRecord>, error: string): Outcome {
  return outcome(entry, 'rejected', { error });
}
