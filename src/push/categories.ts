import type { CategoryRecord } from '../input/record-kinds.ts';
import { createBreaker } from './breaker.ts';
import type { BulkContext } from './bulk.ts';
import { type BulkPush, decideAll, planUnits, takeStep } from './journaled.ts';
import type { Outcome } from './outcome.ts';
import { runSteps } from './run-steps.ts';

/**
 * Pushes categories in bulk (API 4.8). Every category goes out at most once over all runs with one journal.
 * @throws ServiceFailure for what no single record is to blame for, after the outcomes of all that was under way.
 */
export async function* pushCategories(push: BulkPush<CategoryRecord>): AsyncGenerator<readonly Outcome[]> {
  const { api, journal, resend } = push;
  const context: BulkContext = { api, journal, kind: 'category', breaker: createBreaker() };
  const batchSize = Math.min(push.batchSize, api.assumptions.categoryBulkMaximum);
  const decided = decideAll(push.batches, categoryEntry, { ...context, resend });
  const steps = planUnits(decided, 'bulkCreateCategories', batchSize, ({ entry, record }) => ({
    originId: record.originId,
    body: categoryEntry(entry.record),
    records: [record],
  }));
  yield* runSteps(steps, push, (step, report) => takeStep(context, step, report));
}

/** The fields of a category that the bulk creation documents (API 4.8). */
function categoryEntry({ originId, name }: CategoryRecord) {
  return { originId, name };
}
