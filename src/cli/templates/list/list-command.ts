import type { ExitCode } from '../../../base/failure.ts';
import type { ListName, ListPage, ListQuery } from '../../../client/paginate.ts';
import { readList, readListToPrint } from '../../../client/read-list.ts';
import { createTotalCheck } from '../../../client/total-check.ts';
import { firstMaximum } from '../../../contract/limits.ts';
import { operations } from '../../../contract/operations.ts';
import { chosenFormat, isUsefulInPart } from '../../../output/formats/formats.ts';
import { type RecordBatch, takesLines } from '../../../output/formats/records.ts';
import { counted, listTotal } from '../../../output/terminal/totals.ts';
import { checkFields } from '../../../output/views/fields.ts';
import type { View } from '../../../output/views/view.ts';
import { defaultFlag, integerValue, settings, textValue, valueFlag } from '../../flags/flags.ts';
import { queryFlags, queryValues, typedFilters } from '../../flags/query-flags.ts';
import {
  connectionFlags,
  limitFlag,
  outputFlags,
  progressFlags,
  timeZoneFlag,
} from '../../flags/shared-flags.ts';
import { type CommandDefinition, defineCommand, type Invocation } from '../../runtime/command.ts';
import { printList } from '../../runtime/print.ts';
import { type Session, useService } from '../../runtime/session.ts';
import {
  type ChangeFlags,
  type Changes,
  changeFlags,
  lanesOf,
  parallelFlag,
  requestedChanges,
  sinceFlag,
  sinceParameter,
  typedAs,
  withStart,
} from './list-flags.ts';
import { withListProgress } from './list-progress.ts';
import type { NewRecords } from './new-records.ts';
import { warnOfTotal } from './total-warning.ts';

/** Flags of commands that read a list of the service. */
export const readingFlags = {
  ...settings('Connection', {
    pageSize: defaultFlag(
      integerValue(1, firstMaximum),
      firstMaximum,
      'N',
      `records on one page of a list (1 to ${firstMaximum}, default ${firstMaximum})`,
    ),
  }),
  timeZone: timeZoneFlag,
};

const listFlags = {
  limit: limitFlag,
  after: valueFlag(textValue, 'CURSOR', 'begin after this endCursor'),
  ...readingFlags,
  ...outputFlags,
  ...connectionFlags,
  ...progressFlags,
};
type ListInvocation = Invocation<typeof listFlags & ChangeFlags>;

/** A list operation, and the view of its records. */
interface List<N extends ListName> {
  readonly operation: N;
  readonly view: View;
  readonly changes: Changes;
  /** True if the service can filter it by time, so that it can be read in windows of time. */
  readonly hasTimes?: boolean;
  readonly examples: readonly string[];
}

/** A command that prints a list operation, with one flag for each of its parameters. */
export function listCommand<N extends ListName>(list: List<N>): CommandDefinition {
  const { operation, changes, examples } = list;
  const { query } = operations[operation];
  const filters = queryFlags(query);
  return defineCommand({
    flags: {
      ...filters,
      ...(Object.hasOwn(filters, sinceParameter) ? { since: sinceFlag } : {}),
      ...changeFlags(changes),
      ...(list.hasTimes ? { parallel: parallelFlag } : {}),
      ...listFlags,
    },
    examples,
    ...(changes.kind === 'timed' ? { isMonitored: { with: 'sinceLast' } } : {}),
    exitCodes: changes.kind === 'timed' ? [4, 5, 6, 9] : [4, 5, 6],
    run: async (called: ListInvocation) => {
      const invocation = { ...called, flags: withStart(called.flags) };
      checkFields(invocation.flags.fields, list.view);
      lanesOf(invocation.flags);
      const requested = requestedChanges(changes, invocation.flags);
      const { sinceLast = '' } = invocation.flags;
      const session = await useService(invocation);
      if (requested === undefined) return readAndPrint(invocation, session, list);
      const filters = typedFilters(query, invocation.flags);
      const { noun } = list.view;
      const changing = { operation, noun, changes: requested, filters, account: session.account };
      const { useNewRecords } = await import('./new-records.ts');
      return readAndPrint(invocation, session, list, await useNewRecords(invocation, sinceLast, changing));
    },
  });
}

/** Prints the requested list, or what is new in it. */
async function readAndPrint<N extends ListName>(
  invocation: ListInvocation,
  { api }: Session,
  { operation, view }: List<N>,
  newRecords?: NewRecords,
): Promise<ExitCode> {
  const { context, flags, notices } = invocation;
  const { pageSize: first, limit, after, timeZone } = flags;
  const times = { nowMs: context.clock.now(), timeZone, typedAs: typedAs(flags) };
  const values = queryValues(operations[operation].query, flags, times);
  const query = { ...values, ...(after === undefined ? {} : { after }) };
  const bounds = { first, ...(limit === undefined ? {} : { limit }), signal: context.stopping };
  const shown = <P extends ListPage>(list: AsyncIterable<P>) =>
    withListProgress(invocation, `${view.noun} records`, { limit, isPart: after !== undefined }, list);
  const pages = (more: Readonly<Record<string, string>>) =>
    shown(readList(api, operation, { ...query, ...more } as ListQuery<N>, bounds));
  let total: number | null | undefined;
  const check = createTotalCheck();
  const asLines = takesLines({ format: flags.output, fields: flags.fields }, context.streams);
  const allPages = () =>
    readListToPrint(api, operation, query as ListQuery<N>, {
      ...bounds,
      lanes: lanesOf(flags),
      takesLines: asLines,
    });
  async function* records(): AsyncGenerator<RecordBatch> {
    if (newRecords !== undefined) {
      yield* newRecords.of(pages);
      return;
    }
    for await (const page of shown(allPages())) {
      total = page.totalCount;
      check.page(page);
      yield 'lines' in page ? page.lines : page.sent;
    }
  }
  const summary = (count: number) => {
    if (limit === 0) return `${counted(0, view.noun)} requested: --limit 0`;
    return newRecords?.total(count) ?? listTotal(count, total, view.noun);
  };
  let isWhole = false;
  let isCut = false;
  let written = 0;
  try {
    const result = await printList(invocation, view, records(), summary, { firstRows: first });
    written = result.written;
    invocation.summary.note({ counts: { listed: written } });
    isCut = result.isCut;
    isWhole = !isCut && !context.stopping.aborted;
  } finally {
    const isUseful = !isWhole && isUsefulInPart[chosenFormat(flags.output, context.streams)];
    const hasGiven = isUseful && (await newRecords?.keepGiven());
    // A reader that closed stdout has read what it needed.
    if (hasGiven && !isCut)
      notices.warning(
        'printed records are not printed again',
        'append the output of the next run to this one',
      );
  }
  if (!isWhole) return 0;
  if (newRecords !== undefined) return newRecords.keep();
  const isAll = limit === undefined && after === undefined;
  return isAll ? warnOfTotal(check, notices) : 0;
}
