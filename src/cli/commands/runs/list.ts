import { listTotal } from '../../../output/terminal/totals.ts';
import { runView } from '../../../output/views/run-views.ts';
import { undoableRuns } from '../../../store/runs/undo-log-files.ts';
import { limitFlag, outputFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { printList } from '../../runtime/print.ts';
import { runStates } from '../../templates/push/run-states.ts';
import { placeFlags, useRuns } from './open-runs.ts';
import { runRecord } from './run-record.ts';

export const command = defineCommand({
  flags: {
    limit: { ...limitFlag, help: 'only the newest N (default: all)' },
    ...outputFlags,
    ...placeFlags,
  },
  examples: ['reviewctl runs list', 'reviewctl runs list -o ndjson | jq \'select(.state == "killed")\''],
  run: async (invocation) => {
    const { journal, state: place } = await useRuns(invocation);
    const all = await journal.runs.list();
    const states = await runStates(all, place);
    const undoable = undoableRuns(place.folder, invocation.context.clock.now());
    const shown = all
      .slice(0, invocation.flags.limit)
      .map((run) => runRecord(run, states.get(run.id) ?? 'killed', undoable.get(run.id)));
    await printList(invocation, runView, shown, (written) => listTotal(written, all.length, runView.noun));
  },
});
