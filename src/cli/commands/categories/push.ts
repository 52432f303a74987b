import { type CategoryRecord, categoryRecords } from '../../../input/records/record-kinds.ts';
import { entryCompiler } from '../../../push/compile/compiler.ts';
import { categoriesFlow } from '../../../push/flows/categories.ts';
import { defineCommand } from '../../runtime/command.ts';
import {
  journaledPushExitCodes,
  journaledPushFlags,
  runJournaledPush,
} from '../../templates/push/journaled-push.ts';

export const categoriesPush = defineCommand({
  argument: { term: '[file...]', help: 'CSV, TSV, JSON, NDJSON or xlsx; - for standard input' },
  flags: journaledPushFlags,
  examples: [
    'reviewctl categories push categories.csv',
    'reviewctl categories push - --format ndjson < categories.ndjson',
  ],
  isMonitored: true,
  exitCodes: journaledPushExitCodes,
  run: (invocation) =>
    runJournaledPush(invocation, {
      records: categoryRecords,
      compiler: () => entryCompiler<CategoryRecord>(),
      noun: 'category',
      countKnown: async () => undefined,
      journaled: 'category',
      flow: categoriesFlow,
    }),
});
