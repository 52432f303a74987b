import type { Clock } from '../base/clock.ts';
import type { Failure } from '../base/failure.ts';
import { mapConcurrently } from '../base/lists.ts';
import type { Random } from '../base/random.ts';
import type { Api } from '../client/caller.ts';
import { ServiceFailure } from '../client/service-failure.ts';
import type { Evidence } from '../contract/evidence.ts';
import type { Product } from '../contract/resources.ts';
import type { Entry } from '../input/place.ts';
import type { ProductRecord } from '../input/record-kinds.ts';
import type { KnownRecord } from '../store/push-journal.ts';
import { type Breaker, createBreaker } from './breaker.ts';
import { contradicted, contradictoryReply } from './contradictory-reply.ts';
import type { Resend } from './decide.ts';
import { createProductLookup, lookupGroups, type ProductLookup } from './find-products.ts';
import { createFirstAlone, type FirstAlone } from './first-alone.ts';
import { type Outcome, type OutcomeWord, outcomeOf, type RecordPlace } from './outcome.ts';
import { outcomeOfFailure } from './outcome-of-failure.ts';
import { fieldChanges, productChanges } from './product-changes.ts';
import { createProductGroups, type ProductGroups } from './product-groups.ts';
import { isImageTaken, type ProductJournal, type SentProduct } from './product-journal.ts';
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
  /** Recovered, and the run lock of products held. */
  readonly journal: ProductJournal;
  readonly resend: Resend | undefined;
}

/** Lookups of existing products that may be under way ahead of the writes. */
const lookupsAhead = 2;

interface Step {
  readonly entry: Entry<ProductRecord>;
  readonly existing: readonly Product[];
  /** What the journal knows of it. */
  readonly known: KnownRecord | undefined;
}

interface Context
  extends Pick<ProductsPush, 'api' | 'journal' | 'resend' | 'onExisting' | 'isUpdateOnly' | 'isDryRun'> {
  readonly breaker: Breaker;
  readonly lookup: ProductLookup;
  readonly groups: ProductGroups;
  readonly firstCreation: FirstAlone;
  readonly firstUpdate: FirstAlone;
  readonly writer: ProductWriter;
}

/**
 * Creates products the service does not have and changes what differs in those it has (API 4.1, 4.2, 4.4), by originId.
 * What is the same is not written. A product of which a creation may have arrived, in this run or an earlier one, is looked for and
 * never created again unless a person says so with `resend`. A dry run makes the same comparisons and writes nothing.
 * @throws ServiceFailure for what no single record is to blame for, after the outcomes of all that was under way.
 */
export async function* pushProducts(push: ProductsPush): AsyncGenerator<readonly Outcome[]> {
  const breaker = createBreaker();
  const lookup = createProductLookup(push.api);
  const writer = push.isDryRun ? dryProductWriter : createProductWriter({ ...push, lookup, breaker });
  const groups = createProductGroups(push.api);
  const context: Context = {
    ...push,
    breaker,
    lookup,
    groups,
    writer,
    firstCreation: createFirstAlone(),
    firstUpdate: createFirstAlone(),
  };
  yield* runSteps(plan(context, push.batches), push, async (step, report) => {
    report(await pushProduct(context, step));
    context.breaker.check();
  });
}

async function* plan({ lookup, journal }: Context, batches: ProductsPush['batches']): AsyncGenerator<Step> {
  const lookups = mapConcurrently(
    lookupGroups(batches, ({ record }) => record.originId),
    { width: lookupsAhead },
    async (entries) => ({
      entries,
      existing: await lookup.find(entries.map(({ record }) => record.originId)),
    }),
  );
  for await (const { entries, existing } of lookups) {
    const known = await journal.known(entries.map(({ record }) => record.originId));
    for (const entry of entries) {
      const { originId } = entry.record;
      yield { entry, existing: existing.get(originId) ?? [], known: known(originId) };
    }
  }
}

async function pushProduct(context: Context, step: Step): Promise<Outcome> {
  const { entry, existing } = step;
  const [listed, second] = existing;
  try {
    if (second !== undefined)
      return rejected(entry, `the service has it more than once: ${existing.map(({ id }) => id).join(', ')}`);
    const product = listed ?? (await unlistedProduct(context, step));
    if (product === undefined) return await create(context, step);
    const misnamed = misnamedProduct(entry.record, product);
    return misnamed === undefined ? await update(context, step, product) : rejected(entry, misnamed);
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

/**
 * A product that is not listed under its originId (yet), by the id that its row gives, or else the one it was created under in an earlier
 * run (API 4.3). That of a row may turn out to be another product.
 */
async function unlistedProduct(context: Context, { entry, known }: Step): Promise<Product | undefined> {
  const { originId, id } = entry.record;
  const product = await productOfId(context, id ?? known?.objectId);
  if (product?.originId !== originId) return id === undefined ? undefined : product;
  context.api.report(lateList);
  return product;
}

async function productOfId({ api }: Context, productId: string | undefined): Promise<Product | undefined> {
  if (productId === undefined) return undefined;
  try {
    return (await api.call('getProduct', { params: { productId } })).value;
  } catch (error) {
    if (error instanceof ServiceFailure && error.kind === 'not-found') return undefined;
    throw error;
  }
}

/** Why the row of a product is not that of `product`: its id and its originId belong to different ones; undefined where they do not. */
function misnamedProduct({ originId, id }: ProductRecord, product: Product): string | undefined {
  if (product.originId !== originId)
    return `id ${id} is that of product '${product.originId}' at the service, and the row has the originId '${originId}'; ${otherwise}`;
  if (id === undefined || product.id === id) return undefined;
  return `the service has product '${originId}' under the id ${product.id}, and the row has the id ${id}; ${otherwise}`;
}

const otherwise =
  'correct the originId (a spreadsheet drops leading zeros), or where the column is not the id of the service, leave it out with --set id=';

const lateList: Evidence = {
  assumption: 'listConsistency',
  verdict: 'refuted',
  finding: 'the list of products does not show one that exists; it was found by its id',
};

/** Why a product that the service does not show is not created: an earlier run may have created it; undefined where none has. */
function undecided({ resend }: Context, { entry, known }: Step): Outcome | undefined {
  if (known === undefined || known.objectId !== undefined || resend === 'all') return undefined;
  if (known.fate === 'unknown')
    return resend === 'unknown' ? undefined : outcome(entry, 'unknown', { error: maybeCreated });
  return resend === 'accepted' ? undefined : rejected(entry, createdBefore);
}

const maybeCreated =
  'a creation was sent in an earlier run, its answer was lost, and the service does not show the product; once it does, the same command goes on; if it never will, say so with reviewctl runs resolve, or create it with --resend unknown';
const createdBefore =
  'the service took it in an earlier run, and does not show it now; if it was deleted there, create it again with --resend accepted';

async function create(context: Context, step: Step): Promise<Outcome> {
  const { entry } = step;
  const { record } = entry;
  if (context.isUpdateOnly)
    return rejected(entry, 'the service has no such product, and --update-only creates none');
  const doubt = undecided(context, step);
  if (doubt !== undefined) return doubt;
  if (record.id !== undefined)
    return rejected(
      entry,
      `the service has neither product '${record.originId}' nor one of the id ${record.id}; to create it, leave the id out with --set id=`,
    );
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
  let first: Promise<MadeProduct> | undefined;
  const groupId = await context.groups.findOrCreate(groupName, async () => {
    first = make(context, { ...fields, groupName });
    return (await first).groupId;
  });
  const body = { ...fields, ...(groupId === undefined ? { groupName } : { groupId }) };
  return created(context, body, entry, first);
}

interface MadeProduct extends CreatedProduct {
  /** What the service shows of it otherwise than it was sent. */
  readonly failure: Failure | undefined;
}

/** Creates a product, the first one alone. */
function make({ api, breaker, firstCreation, writer }: Context, body: ProductBody): Promise<MadeProduct> {
  const create = async () => {
    breaker.check();
    const made = await writer.create(body);
    const failure = contradictoryReply({ operation: 'createProduct', body }, made.shown, api);
    if (failure !== undefined) breaker.stop(failure);
    return { ...made, failure };
  };
  return firstCreation(create, ({ failure }) => failure === undefined);
}

async function created(
  context: Context,
  body: ProductBody,
  entry: Entry<ProductRecord>,
  creation: Promise<MadeProduct> = make(context, body),
): Promise<Outcome> {
  const { id, failure } = await creation;
  const done = outcome(entry, 'created', id === undefined ? {} : { id });
  return failure === undefined ? done : contradicted(done, failure, context.breaker);
}

async function update(context: Context, step: Step, product: Product): Promise<Outcome> {
  const { api, onExisting, groups, writer } = context;
  const { entry, known } = step;
  const { record } = entry;
  const { id } = product;
  if (known?.fate === 'unknown') await remember(context, { originId: record.originId }, id);
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
  const isImageAccepted = isImageTaken(known, record.imageUrl);
  const changes = productChanges(record, product, { ...api.assumptions, groupId, isImageAccepted });
  if (Object.keys(changes).length === 0) return outcome(entry, 'unchanged', { id });
  const done = outcome(entry, 'updated', { id, changes: fieldChanges(product, changes) });
  return context.firstUpdate(async () => {
    context.breaker.check();
    const shown = await writer.update(id, changes);
    const { imageUrl } = changes;
    if (imageUrl !== undefined) await remember(context, { originId: record.originId, imageUrl }, id);
    const write = {
      operation: 'updateProduct',
      params: { productId: id },
      body: changes,
      before: product,
    } as const;
    const failure = contradictoryReply(write, shown, api);
    return failure === undefined ? done : contradicted(done, failure, context.breaker);
  });
}

async function remember(
  { breaker, journal, isDryRun }: Context,
  product: SentProduct,
  id: string,
): Promise<void> {
  if (!isDryRun) await journal.taken(product, id).catch(breaker.stop);
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
