import * as z from 'zod';
import { askFlags } from './ask-flags.ts';
import { countOrShareValue } from './count-or-share.ts';
import { groupFlags, integerValue, valueFlag } from './flags.ts';
import { inputFlags } from './input-flags.ts';
import { recordRangeValue } from './record-range.ts';
import { pushFlags } from './sending-flags.ts';
import { importFlags, shardFlags } from './shard-flags.ts';
import { connectionFlags, outputFlags, stateFlags } from './shared-flags.ts';

const guardFlags = groupFlags('Sending', {
  rejects: valueFlag(z.string().min(1).optional(), {
    value: 'FILE',
    help: 'send the valid records, and write the rows of the others to this new file, to correct and push again',
  }),
  expectRecords: valueFlag(recordRangeValue.optional(), {
    value: 'N..M',
    help: 'send nothing unless the number of input records is in this range: N, N..M, N.. or ..M',
  }),
  maxErrors: valueFlag(countOrShareValue.optional(), {
    value: 'N|N%',
    help: 'stop when more records than this are rejected, failed or unknown; a percentage applies from 100 records on',
  }),
  maxChange: valueFlag(countOrShareValue.optional(), {
    value: 'N|N%',
    help:
      'send nothing if more records than this would change: a number, or a percentage of existing records; asks on ' +
      'a terminal',
  }),
});

const filePath = z.string().min(1).optional();

const planFlags = groupFlags('Plans', {
  planOut: {
    ...valueFlag(filePath, {
      value: 'FILE',
      help: 'write the changes to this new file, a plan to review and send later; send nothing',
    }),
    isContent: true,
  },
  plan: {
    ...valueFlag(filePath, {
      value: 'FILE',
      help: 'send exactly the changes of this plan, once; records that changed since are rejected',
    }),
    isContent: true,
  },
  limit: {
    ...valueFlag(integerValue(1, Number.MAX_SAFE_INTEGER).optional(), {
      value: 'N',
      help: 'send only the first N changes, as a trial; the same command without it sends the rest',
    }),
    isContent: true,
  },
});

const { maxErrors, maxChange } = guardFlags;
const { limit, planOut } = planFlags;

/** The flags of all that sends records, wherever it has them from. */
export const sendingFlags = {
  ...pushFlags,
  ...groupFlags('Sending', { maxErrors, limit }),
  ...stateFlags,
  ...outputFlags,
  ...connectionFlags,
  ...askFlags,
};
export type SendingFlags = typeof sendingFlags & {
  readonly planOut: typeof planOut;
  readonly maxChange: typeof maxChange;
};

/** The flags of every push. */
export const pushCommandFlags = {
  ...inputFlags,
  ...pushFlags,
  ...guardFlags,
  ...planFlags,
  ...shardFlags,
  ...importFlags,
  ...stateFlags,
  ...outputFlags,
  ...connectionFlags,
  ...askFlags,
};
export type PushCommandFlags = typeof pushCommandFlags;
