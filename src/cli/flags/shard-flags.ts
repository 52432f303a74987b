import * as z from 'zod';
import { groupFlags, valueFlag } from './flags.ts';

/** A shard as typed; `auto` is read from the scheduler that runs this process. */
export interface ShardChoice {
  readonly index: number | 'auto';
  readonly count: number | 'auto';
}

/** Exceeds the number of machines of any import. */
const shardsMaximum = 100_000;

/** `3/8`, `auto/8` or `auto`. */
const shardValue = () =>
  z.string().transform((text, context): ShardChoice => {
    const [, index = '', count] = /^(\d+|auto)(?:\/(\d+))?$/.exec(text) ?? [];
    const read: ShardChoice = {
      index: index === 'auto' ? index : Number(index),
      count: count === undefined ? 'auto' : Number(count),
    };
    if (index === 'auto' && count === undefined) return read;
    const isPart = read.index === 'auto' || (read.index >= 1 && read.index <= Number(read.count));
    if (isPart && Number(read.count) >= 1 && Number(read.count) <= shardsMaximum) return read;
    context.addIssue('expected I/N with I from 1 to N, such as 3/8, or auto, or auto/8');
    return z.NEVER;
  });

/** Flags of commands that read files whose records may be spread over machines. */
export const shardFlags = groupFlags('Sending', {
  shard: valueFlag(shardValue, 'I/N', 'one part of the records; auto: as scheduled'),
});
