import { Failure } from '../../../base/failure.ts';
import { findFolders } from '../../../config/folders.ts';
import { counted } from '../../../output/terminal/totals.ts';
import { ledgerLocation, postgresLedgerLocation } from '../../../store/ledger/ledger-location.ts';
import { moveState } from '../../../store/move-state.ts';
import { stateLocation } from '../../../store/state/state-location.ts';
import { alsoSettings } from '../../flags/flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { findState } from '../../runtime/find-state.ts';
import { placeFlags } from '../runs/open-runs.ts';

export const command = defineCommand({
  flags: { ...placeFlags, ...alsoSettings({ state: placeFlags.state }) },
  examples: ['reviewctl state move --state postgres://reviewctl@db.example.com/rewards'],
  exitCodes: [4, 5, 9, 12],
  run: async (invocation) => {
    const { context, notices } = invocation;
    const to = await findState(invocation);
    if (to.kind === 'sqlite') throw noDatabase();
    const { state: root } = findFolders(context.env);
    const { path: url, shop, password } = to;
    const ledger = {
      from: ledgerLocation(root, to.folder),
      to: postgresLedgerLocation(root, to.folder, { url, password, shop }),
      clock: context.clock,
    };
    const moved = await moveState({ from: stateLocation(to.folder), to, ledger });
    if (moved === undefined) notices.summary(`the state in ${to.folder} has been moved to ${to.path}`);
    else {
      const { runs, checkpoints, hasLedger } = moved;
      notices.summary(
        `moved ${counted(runs, 'run')} with all that they sent, ${counted(checkpoints, 'position')} of lists and ` +
          `${hasLedger ? 'the' : 'no'} ledger to ${to.path}`,
      );
    }
    notices.info(`the state in ${to.folder} is frozen; values for runs undo stay there`);
  },
});

function noDatabase(): Failure {
  return new Failure(
    'usage',
    '--state is required: it names the database that the state moves to',
    'name a database: --state postgres://USER@HOST/DATABASE',
  );
}
