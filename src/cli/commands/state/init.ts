import { Failure } from '../../../base/failure.ts';
import { openPushJournal } from '../../../store/open-store.ts';
import { defineCommand } from '../../runtime/command.ts';
import { openState } from '../../runtime/find-state.ts';
import { placeFlags } from '../runs/open-runs.ts';

export const stateInit = defineCommand({
  flags: placeFlags,
  examples: ['reviewctl state init --state postgres://reviewctl@db.example.com/rewards'],
  exitCodes: [4, 5, 9],
  run: async (invocation) => {
    const { flags, notices } = invocation;
    if (flags.state === undefined) throw noDatabase();
    const state = await openState(invocation);
    const journal = await openPushJournal(state);
    const runs = await journal.runs.list();
    await journal.close();
    const path = state.kind === 'postgres' ? state.path : state.folder;
    notices.summary(
      `the state ${path} is ready; ${runs.length === 0 ? 'no run is' : `${runs.length} runs are`} on record`,
    );
    return 0;
  },
});

/** @throws Failure('usage'), since a folder needs no preparation. */
export function noDatabase(): Failure {
  return new Failure(
    'usage',
    '--state is required: the state in a folder needs no preparation',
    'name a database: --state postgres://USER@HOST/DATABASE',
  );
}
