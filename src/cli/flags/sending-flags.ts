import * as z from 'zod';
import { bulkEntriesMaximum } from '../../contract/limits.ts';
import { resendChoices } from '../../push/decide/decide.ts';
import { limitBounds } from '../../push/send/limit-search.ts';
import {
  defaultFlag,
  durationValue,
  groupFlags,
  integerValue,
  settings,
  switchFlag,
  valueFlag,
  wordValue,
} from './flags.ts';
import { progressFlags } from './shared-flags.ts';

/** Flags of every push. */
export const pushFlags = {
  ...groupFlags('Sending', {
    dryRun: switchFlag('check and compare everything; send nothing', 'n'),
  }),
  ...settings('Connection', {
    concurrency: defaultFlag(
      () => z.union([z.literal('auto'), integerValue(1, limitBounds.max)()]),
      'auto',
      'N|auto',
      `concurrent requests (1 to ${limitBounds.max}); auto starts at ${limitBounds.start} and finds the number ` +
        'with the highest throughput (default auto)',
    ),
    outageWait: defaultFlag(
      durationValue,
      5 * 60_000,
      'DURATION',
      'how long to wait for a service that stops answering; 0 stops at once (default 5m)',
    ),
  }),
  ...progressFlags,
};

/** Flags of every push by bulk creation. */
export const bulkFlags = {
  ...settings('Connection', {
    batchSize: defaultFlag(
      integerValue(1, bulkEntriesMaximum),
      bulkEntriesMaximum,
      'N',
      `entries of one bulk request (1 to ${bulkEntriesMaximum}, default ${bulkEntriesMaximum})`,
    ),
  }),
  ...groupFlags('Sending', {
    resend: valueFlag(wordValue(resendChoices), 'WHICH', 'send again: unknown, accepted or all records'),
  }),
};

/** The longest time to keep replaced values: ten years. */
const undoDaysMaximum = 3650;

/** Flags of every push that can be undone. */
export const undoFlags = settings('State', {
  undoDays: defaultFlag(
    integerValue(0, undoDaysMaximum),
    30,
    'N',
    'number of days to keep the replaced values for runs undo; 0 keeps none (default 30)',
  ),
});
