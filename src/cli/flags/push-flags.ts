import * as z from 'zod';
import { countOrShareValue } from './count-or-share.ts';
import { groupFlags, integerValue, settings, textFlag, textOrNumber, valueFlag } from './flags.ts';
import { inputFlags } from './input-flags.ts';
import { recordRangeValue } from './record-range.ts';
import { pushFlags } from './sending-flags.ts';
import { shardFlags } from './shard-flags.ts';
import { askFlags, connectionFlags, outputFlags, stateFlags } from './shared-flags.ts';

const guardFlags = groupFlags('Sending', {
  rejects: valueFlag(
    () => z.string().regex(/[^-]/, 'needs a FILE: standard output holds the outcomes'),
    'FILE',
    'send valid records; write invalid rows here',
  ),
  expectRecords: valueFlag(recordRangeValue, 'N..M', 'send nothing unless there are N..M records'),
  maxErrors: valueFlag(
    () =>
      countOrShareValue().refine(
        (errors) => errors.kind === 'count' || errors.mostPercent <= 100,
        'expected at most 100%',
      ),
    'N|N%',
    'stop when more records than this fail',
  ),
  maxChange: valueFlag(countOrShareValue, 'N|N%', 'send nothing if more records would change'),
});

const usualFlags = settings('Files', {
  maxDrop: valueFlag(
    () =>
      textOrNumber()
        .pipe(z.string().regex(/^\d+(?:\.\d+)?%$/, 'expected a share such as 50%'))
        .transform((text) => Number(text.slice(0, -1)))
        .refine((percent) => percent <= 100, 'expected at most 100%'),
    'N%',
    'stop a push of products or categories with this much fewer records than usual',
  ),
});

const planFlags = groupFlags('Sending', {
  planOut: textFlag('FILE', 'write the changes to this plan; send nothing'),
  plan: textFlag('FILE', 'send exactly the changes of this plan, once'),
  limit: valueFlag(
    integerValue(1, Number.MAX_SAFE_INTEGER),
    'N',
    'send only the first N changes, as a trial',
  ),
});

const { maxErrors, maxChange } = guardFlags;
const { limit, planOut } = planFlags;

/** Flags of commands that send records, whatever their source. */
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

/** Flags of every push. */
export const pushCommandFlags = {
  ...inputFlags,
  ...pushFlags,
  ...guardFlags,
  ...usualFlags,
  ...planFlags,
  ...shardFlags,
  ...stateFlags,
  ...outputFlags,
  ...connectionFlags,
  ...askFlags,
};
export type PushCommandFlags = typeof pushCommandFlags;
