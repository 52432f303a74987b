import { streamOf } from '../../../base/lists.ts';
import { listTotal } from '../../../output/terminal/totals.ts';
import { runView } from '../../../output/views/run-views.ts';
import { undoableRuns } from '../../../store/runs/undo-log-files.ts';
import { outputFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { limitFlag, writeList } from '../../templates/list/write-list.ts';
import { runStates } from '../../templates/push/run-states.ts';
import { placeFlags, withRuns } from './open-runs.ts';
import { runRecord } from './run-record.ts';

export const runsList = defineCommand({
  flags: {
    limit: { ...limitFlag, help: 'only the newest N (default: all)' },
    ...outputFlags,
    ...placeFlags,
  },
  examples: ['reviewctl runs list', 'reviewctl runs list -o ndjson | jq \'select(.state == "killed")\''],
  exitCodes: [],
  run: (invocation) =>
    withRuns(invocation, async ({ journal, state: place }) => {
      const all = await journal.runs.list();
      const states = await runStates(all, place);
      const undoable = undoableRuns(place.folder, invocation.context.clock.now());
      const shown = all
        .slice(0, invocation.flags.limit)
        .map((run) => runRecord(run, states.get(run.id) ?? 'killed', undoable.get(run.id)));
      await writeList(invocation, streamOf([shown]), runView, {
        summary: (written) => listTotal(written, all.length, runView.noun),
      });
      return 0;
    }),
});
