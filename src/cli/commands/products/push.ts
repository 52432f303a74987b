import * as z from 'zod';
import { hint, reviewctl } from '../../../base/hint.ts';
import { type ProductRecord, productRecords } from '../../../input/records/record-kinds.ts';
import type { Notices } from '../../../output/terminal/notices.ts';
import { counted } from '../../../output/terminal/totals.ts';
import { entryCompiler } from '../../../push/compile/compiler.ts';
import { onExistingChoices } from '../../../push/decide/decide-product.ts';
import { productsFlow } from '../../../push/flows/products.ts';
import { runFlow } from '../../../push/plan/run-flow.ts';
import type { PushOutcome } from '../../../push/steps/outcome.ts';
import { categoriesFirst } from '../../../push/steps/outcome-of-failure.ts';
import { defaultFlag, groupFlags, switchFlag, wordValue } from '../../flags/flags.ts';
import { pushCommandFlags } from '../../flags/push-flags.ts';
import { bulkFlags, undoFlags } from '../../flags/sending-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { runPush } from '../../templates/push/push-command.ts';

export const command = defineCommand({
  argument: { term: '[file...]', help: 'CSV, TSV, JSON, NDJSON or xlsx; - for stdin' },
  flags: {
    ...groupFlags('Sending', {
      onExisting: defaultFlag(
        wordValue(onExistingChoices),
        'update',
        'CHOICE',
        'existing products: update, skip or fail',
      ),
      updateOnly: switchFlag('only update existing products; create none'),
    }),
    resend: bulkFlags.resend,
    ...undoFlags,
    ...pushCommandFlags,
  },
  examples: [
    'reviewctl products push products.csv',
    "reviewctl products push export.csv --map originId=StockCode --map 'name={Description|StockCode}'",
    'reviewctl products push prices.csv --update-only -o csv > outcomes.csv',
  ],
  isMonitored: true,
  exitCodes: [3, 4, 5, 6, 7, 9, 11],
  run: (invocation) => {
    const { context, flags, notices } = invocation;
    const { onExisting, updateOnly, resend, undoDays } = flags;
    return runPush(invocation, {
      records: productRecords,
      originIdOf: ({ record }) => record.originId,
      compiler: () => entryCompiler<ProductRecord>(),
      noun: 'product',
      journaled: 'product',
      undoDays,
      countKnown: async ({ api }) =>
        (await api.call('listProducts', { query: { first: 1 } })).value.totalCount ?? undefined,
      settings: { onExisting, updateOnly },
      settingsSchema,
      push: async function* ({ work, service: { api }, journal, undoLog, isShard, ...opened }, settings) {
        const decided = settingsSchema.parse(settings);
        const flow = productsFlow({
          ...context,
          ...opened,
          api,
          makesGroups: !isShard,
          onExisting: decided.onExisting,
          isUpdateOnly: decided.updateOnly,
          resend,
          journal,
          undoLog,
        });
        yield* adviseOnCategories(runFlow(flow, work), notices);
      },
    });
  },
});

/** The flags that a plan stores with its records. */
const settingsSchema = z.strictObject({ onExisting: z.enum(onExistingChoices), updateOnly: z.boolean() });

/** Reports once how to proceed if products were refused because of their categories. */
async function* adviseOnCategories(
  outcomes: AsyncIterable<readonly PushOutcome[]>,
  notices: Notices,
): AsyncGenerator<readonly PushOutcome[]> {
  let refused = 0;
  for await (const batch of outcomes) {
    refused += batch.filter(({ error }) => error?.toString().endsWith(categoriesFirst)).length;
    yield batch;
  }
  if (refused === 0) return;
  notices.warning(
    `${counted(refused, 'product')} refused because the service rejected their categories`,
    hint`push the categories first: ${reviewctl`categories push FILE`}; or omit them: --set categories=`,
  );
}
