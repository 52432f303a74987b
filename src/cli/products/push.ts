import { productRecords } from '../../input/record-kinds.ts';
import { acceptedImages } from '../../push/accepted-images.ts';
import { onExistingChoices, pushProducts } from '../../push/products.ts';
import { defineCommand } from '../command.ts';
import { switchFlag, valueFlag, wordValue } from '../flags.ts';
import { runPush } from '../push-command.ts';
import { pushCommandFlags } from '../push-flags.ts';

export const productsPush = defineCommand({
  argument: { term: '<file...>', help: 'CSV, TSV, JSON, NDJSON or xlsx; - for standard input' },
  flags: {
    onExisting: valueFlag(wordValue(onExistingChoices).default('update'), {
      value: 'CHOICE',
      help: `what to do with products the service has already: ${onExistingChoices.join(', ')} (default update)`,
    }),
    updateOnly: switchFlag({ help: 'create none: the files hold only some fields of existing products' }),
    ...pushCommandFlags,
  },
  examples: [
    'reviewctl products push products.csv',
    "reviewctl products push export.csv --map originId=StockCode --map 'name={Description|StockCode}'",
    'reviewctl products push prices.csv --update-only -o csv > outcomes.csv',
  ],
  exitCodes: [3, 4, 5, 6, 7, 9, 11],
  run: (invocation) => {
    const { context, flags } = invocation;
    const { onExisting, updateOnly, dryRun: isDryRun } = flags;
    return runPush(invocation, {
      records: productRecords,
      noun: 'product',
      push: ({ batches, service: { api }, journal, concurrency, stopping }) =>
        pushProducts({
          ...context,
          batches,
          api,
          concurrency,
          stopping,
          onExisting,
          isUpdateOnly: updateOnly,
          isDryRun,
          images: acceptedImages(journal),
        }),
    });
  },
});
