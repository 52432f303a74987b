import * as z from 'zod';
import { bulkEntriesMaximum } from '../../contract/limits.ts';
import { progressModes } from '../../output/terminal/progress.ts';
import { resendChoices } from '../../push/decide/decide.ts';
import { limitBounds } from '../../push/send/next-limit.ts';
import { groupFlags, integerValue, switchFlag, valueFlag, wordValue } from './flags.ts';

/** Of every push. */
export const pushFlags = groupFlags('Sending', {
  dryRun: switchFlag({
    short: 'n',
    help: 'check and compare everything and print what would come of it; write nothing',
  }),
  concurrency: valueFlag(z.union([z.literal('auto'), integerValue(1, limitBounds.most)]).default('auto'), {
    value: 'N|auto',
    help: `requests in flight at once (1 to ${limitBounds.most}); auto starts at ${limitBounds.start} and finds the number with the highest throughput (default auto)`,
  }),
  progress: valueFlag(wordValue(progressModes).default('auto'), {
    value: 'MODE',
    help: `how progress is shown on stderr: ${progressModes.join(', ')}`,
  }),
});

/** Of every push by bulk creation. */
export const bulkFlags = groupFlags('Sending', {
  batchSize: valueFlag(integerValue(1, bulkEntriesMaximum).default(bulkEntriesMaximum), {
    value: 'N',
    help: `entries of one bulk request (1 to ${bulkEntriesMaximum}, default ${bulkEntriesMaximum})`,
  }),
  resend: valueFlag(wordValue(resendChoices).optional(), {
    value: 'WHICH',
    help: `send again what an earlier run sent: ${resendChoices.join(', ')}; for a person who has looked`,
  }),
});

/** Longest time for which what a run replaced is kept: ten years. */
const undoDaysMaximum = 3650;

/** Of every push that can be undone. */
export const undoFlags = groupFlags('Sending', {
  undoDays: valueFlag(integerValue(0, undoDaysMaximum).default(30), {
    value: 'N',
    help: 'for how many days the values it replaces are kept, so that runs undo can write them back; 0 keeps none (default 30)',
  }),
});
