import { type CategoryRecord, categoryRecords } from '../../../input/records/record-kinds.ts';
import { entryCompiler } from '../../../push/compile/compiler.ts';
import { categoriesFlow } from '../../../push/flows/categories.ts';
import { hiddenFlags } from '../../flags/flags.ts';
import { shardFlags } from '../../flags/shard-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import {
  journaledPush,
  journaledPushExitCodes,
  journaledPushFlags,
} from '../../templates/push/journaled-push.ts';
import { runPush } from '../../templates/push/push-command.ts';

export const command = defineCommand({
  argument: { term: '[file...]', help: 'CSV, TSV, JSON, NDJSON or xlsx; - for stdin' },
  // Accepted only to explain why categories have no shards.
  flags: {
    ...journaledPushFlags,
    ...hiddenFlags(shardFlags),
  },
  examples: [
    'reviewctl categories push categories.csv',
    'reviewctl categories push - --format ndjson < categories.ndjson',
  ],
  isMonitored: true,
  exitCodes: journaledPushExitCodes,
  run: (invocation) =>
    runPush(invocation, {
      records: categoryRecords,
      originIdOf: ({ record }) => record.originId,
      compiler: () => entryCompiler<CategoryRecord>(),
      noun: 'category',
      countKnown: async () => undefined,
      ...journaledPush(invocation, 'category', categoriesFlow),
    }),
});
