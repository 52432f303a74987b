import { createCategory, refusalOf } from './creation.ts';
import { categoryDocument } from './documents.ts';
import type { OperationHandlers } from './handlers.ts';
import { enqueueJobs } from './jobs.ts';
import { done, invalid } from './outcome.ts';

/** API 4.7 and 4.8. */
export const categoryHandlers: OperationHandlers<'createCategory' | 'bulkCreateCategories'> = {
  createCategory: (visit, { body }) => {
    const creation = createCategory(visit, body);
    return creation.kind === 'problem' ? refusalOf(creation) : done(categoryDocument(creation.record));
  },

  bulkCreateCategories: (visit, { body, badEntries }) => {
    const { categoryBulkMaximum } = visit.assumptions;
    if (body.length + badEntries.length > categoryBulkMaximum) {
      return invalid(['body'], `at most ${categoryBulkMaximum} entries are allowed`, 'too_big');
    }
    return enqueueJobs(
      visit,
      body.map(({ originId, name }) => ({ originId, task: { kind: 'create-category', originId, name } })),
      badEntries,
    );
  },
};
