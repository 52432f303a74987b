import { streamOf } from '../../base/lists.ts';
import { writeRecords } from '../../output/records.ts';
import { runView } from '../../output/run-views.ts';
import { listTotal } from '../../output/totals.ts';
import { defineCommand } from '../command.ts';
import { integerValue, valueFlag } from '../flags.ts';
import { outputFlags } from '../shared-flags.ts';
import { placeFlags, withRuns } from './open-runs.ts';
import { runRecord, runStates } from './run-record.ts';

export const runsList = defineCommand({
  flags: {
    limit: valueFlag(integerValue(0, Number.MAX_SAFE_INTEGER).optional(), {
      value: 'N',
      help: 'at most so many, the newest (default: all)',
    }),
    ...outputFlags,
    ...placeFlags,
  },
  examples: ['reviewctl runs list', 'reviewctl runs list -o ndjson | jq \'select(.state == "killed")\''],
  exitCodes: [],
  run: (invocation) =>
    withRuns(invocation, async ({ journal, folder }) => {
      const { context, flags, notices } = invocation;
      const all = journal.runs.list();
      const states = await runStates(all, folder);
      const shown = all.slice(0, flags.limit).map((run) => runRecord(run, states.get(run.id) ?? 'killed'));
      const options = { ...flags, format: flags.output, clock: context.clock };
      const { isCut } = await writeRecords(streamOf([shown]), runView, options, context.streams);
      if (!isCut) notices.summary(listTotal(shown.length, all.length, runView.noun));
      return 0;
    }),
});
