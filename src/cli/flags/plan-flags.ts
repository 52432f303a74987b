import * as z from 'zod';
import { groupFlags, valueFlag } from './flags.ts';

const file = z.string().min(1).optional();

/** What a plan is made as, and which one is carried out: each time anew, never by a setting. */
export const planFlags = groupFlags('Plan', {
  planOut: valueFlag(file, {
    value: 'FILE',
    help: 'write the plan to this new file; pay nothing',
  }),
  plan: valueFlag(file, { value: 'FILE', help: 'carry out exactly this plan, once' }),
});
