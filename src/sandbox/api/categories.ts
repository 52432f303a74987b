import { enqueueJobs } from '../jobs/jobs.ts';
import { createCategory, refusalOf } from '../rules/creation.ts';
import { categoryDocument } from '../rules/documents.ts';
import type { OperationHandlers } from '../rules/handlers.ts';
import { done, invalid } from '../state/outcome.ts';

/** API 4.7 and 4.8. */
export const categoryHandlers: OperationHandlers<'createCategory' | 'bulkCreateCategories'> = {
  createCategory: (context, { body }) => {
    const creation = createCategory(context, body);
    return creation.kind === 'problem' ? refusalOf(creation) : done(categoryDocument(creation.record));
  },

  bulkCreateCategories: (context, { body, badEntries }) => {
    const { categoryBulkMaximum } = context.assumptions;
    if (body.length + badEntries.length > categoryBulkMaximum) {
      return invalid(['body'], `at most ${categoryBulkMaximum} entries are allowed`, 'too_big');
    }
    return enqueueJobs(
      context,
      body.map(({ originId, name }) => ({ originId, task: { kind: 'create-category', originId, name } })),
      badEntries,
    );
  },
};
