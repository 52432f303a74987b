import { Failure } from '../../base/failure.ts';
import { flatten, streamOf } from '../../base/lists.ts';
import type { CategoryRecord, Entry } from '../../input/records/record-kinds.ts';
import { layersOf } from '../compile/category-layers.ts';
import { hashOfEach } from '../compile/content-hash.ts';
import type { SendableRecord } from '../compile/sendable-record.ts';
import { contradictoryReply, verified } from '../fields/contradictory-reply.ts';
import { carryOut, type PushFlow, type Settled } from '../plan/request.ts';
import {
  type BulkPush,
  type DecidedRecord,
  decideAll,
  type JournaledRequest,
  planRequests,
  sendRequest,
} from '../send/journaled.ts';
import { createSendContext, endRequest, type SendContext, sendJournaled } from '../send/send-journaled.ts';
import { outcomeOf, type PlanEntry, type PushOutcome } from '../steps/outcome.ts';
import type { Report } from '../steps/run-steps.ts';

/** The maximum number of categories. All are read first, because a parent may come anywhere in the input. */
const categoriesMaximum = 100_000;

/** A category with the fields of its row. */
interface CompiledCategory extends SendableRecord {
  readonly category: CategoryRecord;
}

type Row = DecidedRecord<CompiledCategory>;

/** A category that is created alone, after those of lower layers. */
interface SingleCreation extends PlanEntry {
  readonly layer: number;
  readonly record: CompiledCategory;
}

type CategoryRequest = JournaledRequest | SingleCreation;

/**
 * Pushes categories. Plain ones are created in bulk (API 4.8). Those with inputs that only the single creation accepts
 * (API 4.7), and those that others name as their parent, are created one by one, parents first. Every category is sent
 * at most once over all runs with one journal.
 */
export function categoriesFlow(
  push: BulkPush<Entry<CategoryRecord>>,
): PushFlow<Entry<CategoryRecord>, CategoryRequest> {
  const context = createSendContext(push, 'category');
  return {
    originIdOf: ({ record }) => record.originId,
    decide: (batches) => decideCategories(push, batches),
    send: (requests) => sendInLayers(context, requests),
  };
}

/** The `create` of every plan entry: the actual operation depends on the other pushed categories. */
const bulkName = 'bulkCreateCategories';

/** @throws Failure('input') if there are more categories than the maximum. */
async function* decideCategories(
  push: BulkPush<Entry<CategoryRecord>>,
  batches: AsyncIterable<readonly Entry<CategoryRecord>[]>,
): AsyncGenerator<readonly (CategoryRequest | Settled)[]> {
  const rows = await readWhole(decideAll(compiled(batches), push, 'category'));
  const { inBulk, oneByOne } = split(rows);
  const entriesMaximum = Math.min(push.batchSize, push.api.assumptions.categoryBulkMaximum);
  yield* planRequests(streamOf([inBulk]), bulkName, entriesMaximum);
  const layers = layersOf(oneByOne.map((row) => ({ ...row.record.category, row })));
  for (const [layer, rowsOfLayer] of layers.entries())
    yield rowsOfLayer.map(({ row: { record } }) => ({
      outcome: outcomeOf(record, 'created'),
      write: { create: bulkName },
      layer,
      record,
    }));
}

/** Sends one layer after the other. A layer begins once the previous one has ended. */
async function* sendInLayers(
  context: SendContext,
  requests: AsyncIterable<readonly (CategoryRequest | Settled)[]>,
): AsyncGenerator<readonly PushOutcome[]> {
  const byLayer: (CategoryRequest | Settled)[][] = [];
  for await (const request of flatten(requests)) {
    const layer = 'layer' in request ? request.layer + 1 : 0;
    const inLayer = byLayer[layer];
    if (inLayer === undefined) byLayer[layer] = [request];
    else inLayer.push(request);
  }
  for (const layer of byLayer) {
    yield* carryOut(streamOf([layer ?? []]), context, (request, report, { answered }) =>
      'layer' in request
        ? createSingly(context, request.record, report)
        : sendRequest(context, request, report, answered),
    );
  }
}

async function* compiled(
  batches: AsyncIterable<readonly Entry<CategoryRecord>[]>,
): AsyncGenerator<readonly CompiledCategory[]> {
  for await (const entries of batches) {
    yield entries.map(({ file, line, record: category }) => {
      const { originId, name, isVisible, position, parentOriginId, isReviewDisabled } = category;
      // One hash per value: a blank cell in a later file leaves its field alone.
      const contentHash = hashOfEach([name, isVisible, position, parentOriginId, isReviewDisabled]);
      return { file, line, originId, contentHash, text: JSON.stringify(categoryBody(category)), category };
    });
  }
}

async function readWhole(batches: AsyncIterable<readonly Row[]>): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const batch of batches) {
    for (const row of batch) rows.push(row);
    if (rows.length > categoriesMaximum) {
      throw new Failure(
        'input',
        `more than ${categoriesMaximum} categories in one run; nothing was sent`,
        'split the input',
      );
    }
  }
  return rows;
}

/**
 * Separates the categories to create one by one: those with input that only the single creation accepts, and parents of
 * others, whose job could still be pending when the child arrives. Categories that are not sent stay with those in
 * bulk.
 */
function split(rows: readonly Row[]) {
  const isSent = ({ decision }: Row) => decision.kind === 'send';
  const parents = new Set(rows.filter(isSent).map(({ record }) => record.category.parentOriginId));
  const isSingle = (row: Row) => {
    const { category } = row.record;
    return isSent(row) && (parents.has(category.originId) || hasCreateOnlyInput(category));
  };
  return { inBulk: rows.filter((row) => !isSingle(row)), oneByOne: rows.filter(isSingle) };
}

function hasCreateOnlyInput({ isVisible, position, parentOriginId, isReviewDisabled }: CategoryRecord) {
  return [isVisible, position, parentOriginId, isReviewDisabled].some((value) => value !== undefined);
}

async function createSingly(context: SendContext, record: CompiledCategory, report: Report): Promise<void> {
  const { breaker, canary } = context;
  await canary(
    async () => {
      breaker.check();
      return createCategory(context, record, report);
    },
    (isCreated) => (isCreated ? 'proof' : 'nothing'),
  );
  breaker.check();
}

/** Creates a category. Returns true if the service created it. */
async function createCategory(
  context: SendContext,
  record: CompiledCategory,
  report: Report,
): Promise<boolean> {
  const { api, breaker } = context;
  const body = categoryBody(record.category);
  const answer = await sendJournaled(context, [record], () => api.call('createCategory', { body }));
  if (answer.kind !== 'answered') {
    const [outcome, error] =
      answer.kind === 'refused'
        ? (['rejected', answer.refusal.reason] as const)
        : (['unknown', answer.error] as const);
    report(outcomeOf(record, outcome, { error }));
    return false;
  }
  const { value, sent } = answer.value;
  const { id } = value;
  const end = { accepted: [{ entry: record, objectId: id }] };
  const error = await endRequest(context, answer.request, end);
  const failure = contradictoryReply({ operation: 'createCategory', body }, sent, api);
  const created = verified(outcomeOf(record, 'created', { id }), failure, breaker);
  report(error === undefined ? created : outcomeOf(record, 'unknown', { id, error }));
  return true;
}

/**
 * The fields of a category in the document's order (API 4.7); for a plain one, those of the bulk creation (API 4.8).
 */
function categoryBody({
  originId,
  name,
  isVisible,
  position,
  parentOriginId,
  isReviewDisabled,
}: CategoryRecord) {
  return { originId, name, isVisible, position, parentOriginId, isReviewDisabled };
}
