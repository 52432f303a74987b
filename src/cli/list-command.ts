import * as z from 'zod';
import type { JsonObject } from '../base/json.ts';
import type { CallInput } from '../client/caller.ts';
import { type ListName, paginate } from '../client/paginate.ts';
import { firstMaximum } from '../contract/limits.ts';
import { type Operations, operations } from '../contract/operations.ts';
import { writeRecords } from '../output/records.ts';
import { listTotal } from '../output/totals.ts';
import type { View } from '../output/view.ts';
import { type CommandDefinition, defineCommand } from './command.ts';
import { integerValue, valueFlag } from './flags.ts';
import { queryFlags, queryValues } from './query-flags.ts';
import { withService } from './session.ts';
import { connectionFlags, inputFlags, outputFlags } from './shared-flags.ts';

const pageFlags = {
  limit: valueFlag(integerValue(0, Number.MAX_SAFE_INTEGER).optional(), {
    value: 'N',
    help: 'at most so many records (default: all)',
  }),
  first: valueFlag(integerValue(1, firstMaximum).default(firstMaximum), {
    value: 'N',
    help: `records a page (1 to ${firstMaximum}, default ${firstMaximum}); never a limit`,
  }),
  after: valueFlag(z.string().optional(), { value: 'CURSOR', help: 'begin behind this endCursor' }),
};

/** A command that prints what a list operation gives, with one flag for each of its parameters. */
export function listCommand<N extends ListName>(
  operation: N,
  view: View,
  examples: readonly string[],
): CommandDefinition {
  const { query } = operations[operation];
  return defineCommand({
    flags: {
      ...queryFlags(query),
      ...pageFlags,
      ...outputFlags,
      timeZone: inputFlags.timeZone,
      ...connectionFlags,
    },
    examples,
    exitCodes: [4, 5],
    run: (invocation) =>
      withService(invocation, async ({ api }) => {
        const { context, flags, notices } = invocation;
        const { first, limit, after, timeZone } = flags;
        const values = queryValues(query, flags, { nowMs: context.clock.now(), timeZone });
        const pages = paginate(
          api,
          operation,
          { ...values, ...(after === undefined ? {} : { after }) } as NonNullable<
            CallInput<Operations[N]>['query']
          >,
          {
            first,
            ...(limit === undefined ? {} : { limit }),
            signal: context.stopping,
          },
        );
        let total: number | null | undefined;
        async function* records(): AsyncGenerator<readonly JsonObject[]> {
          for await (const page of pages) {
            total = page.totalCount;
            yield page.sent;
          }
        }
        const { written, isCut } = await writeRecords(
          records(),
          view,
          { ...flags, format: flags.output, clock: context.clock },
          context.streams,
        );
        if (!isCut) notices.summary(listTotal(written, total, view.noun));
        return 0;
      }),
  });
}
