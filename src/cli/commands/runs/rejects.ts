import { hint, reviewctl } from '../../../base/hint.ts';
import type { JsonObject } from '../../../base/json.ts';
import { counted } from '../../../output/terminal/totals.ts';
import { openRejectView, outcomeView } from '../../../output/views/views.ts';
import type { NotedOutcome } from '../../../store/runs/run-log.ts';
import { switchFlag } from '../../flags/flags.ts';
import { outputFlags } from '../../flags/shared-flags.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';
import { printList } from '../../runtime/print.ts';
import { isReject, notedOnce, openRejects } from '../../templates/push/open-rejects.ts';
import { findRun, type OpenRuns, placeFlags, runArgument, useRuns } from './open-runs.ts';
import { stillUnknown } from './run-record.ts';

const flags = {
  open: switchFlag('only those that no later run has pushed'),
  unknown: switchFlag('the records with an unknown outcome instead'),
  ...outputFlags,
  ...placeFlags,
};

export const command = defineCommand({
  argument: { ...runArgument, term: '[run]', help: `${runArgument.help} (default); with --open: all runs` },
  flags,
  examples: [
    'reviewctl runs rejects --open',
    'reviewctl runs rejects last -o csv --excel > rejects.csv',
    'reviewctl runs rejects last --unknown -o ids',
  ],
  run: async (invocation) => {
    const { journal } = await useRuns(invocation);
    const { args, flags } = invocation;
    if (flags.open) return listOpen(invocation, journal);
    const run = await findRun(journal, args[0] ?? 'last');
    async function* rejects(): AsyncGenerator<readonly JsonObject[]> {
      for await (const page of notedOnce(journal, run.id)) {
        const found = flags.unknown ? await stillUnknown(journal, run, page) : page.filter(isReject);
        yield found.map(rejectRecord);
      }
    }
    await printList(
      invocation,
      outcomeView('reject'),
      rejects(),
      (written) =>
        `run ${run.id}: ${counted(written, 'record')} ${flags.unknown ? 'unknown' : 'rejected or failed'}`,
    );
  },
});

/** A record whose job failed after its run has no line: the journal knows records by their ids. */
function rejectRecord(outcome: NotedOutcome): JsonObject {
  return { ...outcome, ...(outcome.line === 0 ? { file: null, line: null } : {}) };
}

async function listOpen(invocation: Invocation<typeof flags>, journal: OpenRuns['journal']): Promise<void> {
  const [word] = invocation.args;
  const only = word === undefined ? undefined : await findRun(journal, word);
  const open = await openRejects(journal, only?.kind);
  const shown = open.filter(({ run }) => only === undefined || run.id === only.id);
  const records = shown.map(({ run, outcome }) => ({
    ...rejectRecord(outcome),
    run: run.id,
    kind: run.kind,
  }));
  await printList(
    invocation,
    openRejectView,
    records,
    (written) => `${counted(written, 'record')} open: rejected or failed, and not pushed since`,
  );
  if (shown.length > 0) {
    invocation.notices.info(
      hint`to drop a record that needs no push, such as one that was pushed with another id:
        ${reviewctl`runs resolve RUN --dropped -- ID`}; without an id, its name is FILE:LINE`,
    );
  }
}
