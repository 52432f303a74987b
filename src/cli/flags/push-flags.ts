import * as z from 'zod';
import { countOrShareValue } from './count-or-share.ts';
import { groupFlags, integerValue, switchFlag, valueFlag } from './flags.ts';
import { inputFlags } from './input-flags.ts';
import { recordRangeValue } from './record-range.ts';
import { pushFlags } from './sending-flags.ts';
import { connectionFlags, outputFlags } from './shared-flags.ts';

const guardFlags = groupFlags('Sending', {
  credentialChanged: switchFlag({ help: 'accept a new credential for the same shop' }),
  skipInvalid: switchFlag({
    help: 'leave out the records that are not as they must be, and send the others (needs --rejects)',
  }),
  rejects: valueFlag(z.string().min(1).optional(), {
    value: 'FILE',
    help: 'where to write what --skip-invalid leaves out, as it stands in the input, to be corrected and pushed again',
  }),
  expectRecords: valueFlag(recordRangeValue.optional(), {
    value: 'N..M',
    help: 'send nothing unless the input has so many records: N, N..M, N.. or ..M',
  }),
  allowEmpty: switchFlag({
    help: 'accept an input without records where the last push of the same files had some',
  }),
  maxErrors: valueFlag(countOrShareValue.optional(), {
    value: 'N|N%',
    help: 'stop when more records than that were rejected, failed or became unknown; a share counts from 100 records on',
  }),
  maxChange: valueFlag(countOrShareValue.optional(), {
    value: 'N|N%',
    help: 'send nothing if more than this would change: a number, or a share of the records known to exist; asks on a terminal',
  }),
});

const filePath = z.string().min(1).optional();

const planFlags = groupFlags('Plans', {
  planOut: {
    ...valueFlag(filePath, {
      value: 'FILE',
      help: 'send nothing, but write what would be sent to this new file, a plan to review and send later',
    }),
    isContent: true,
  },
  plan: {
    ...valueFlag(filePath, {
      value: 'FILE',
      help: 'send exactly what this plan holds, once; records that changed since it was made are rejected',
    }),
    isContent: true,
  },
  limit: {
    ...valueFlag(integerValue(1, Number.MAX_SAFE_INTEGER).optional(), {
      value: 'N',
      help: 'write only the first N records that need a write, as a trial; the same command without it goes on',
    }),
    isContent: true,
  },
});

const { credentialChanged, maxErrors, maxChange } = guardFlags;
const { limit, planOut } = planFlags;

/** The flags of all that sends records, wherever it has them from. */
export const sendingFlags = {
  ...pushFlags,
  ...groupFlags('Sending', { credentialChanged, maxErrors, limit }),
  ...outputFlags,
  ...connectionFlags,
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
  ...outputFlags,
  ...connectionFlags,
};
export type PushCommandFlags = typeof pushCommandFlags;
