import { type ExitCode, Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { runFlow } from '../../../push/plan/run-flow.ts';
import { productJournal } from '../../../push/steps/product-journal.ts';
import { undoOrderItemsFlow } from '../../../push/undo/undo-order-items.ts';
import { undoProductsFlow } from '../../../push/undo/undo-products.ts';
import type { Run } from '../../../store/runs/run-log.ts';
import type { UndoRecord } from '../../../store/runs/undo-log.ts';
import { sendingFlags } from '../../flags/push-flags.ts';
import { undoFlags } from '../../flags/sending-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import type { Context } from '../../runtime/context.ts';
import { carryOut } from '../../templates/push/carry-out.ts';
import { noSettings, type SentKind } from '../../templates/push/push-kind.ts';
import { runStates } from '../../templates/push/run-states.ts';
import { findRun, type OpenRuns, runArgument, withRuns } from './open-runs.ts';
import { inputOfUndoLog } from './undo-input.ts';

export const runsUndo = defineCommand({
  argument: runArgument,
  flags: { ...undoFlags, ...sendingFlags },
  examples: [
    'reviewctl runs undo last --dry-run',
    'reviewctl runs undo last',
    'reviewctl runs undo last -o csv > undone.csv',
  ],
  exitCodes: [4, 5, 6, 7, 9],
  run: async (invocation): Promise<ExitCode> => {
    const { argv, args, context, flags, notices } = invocation;
    const [word = ''] = args;
    const { run, kind, input } = await withRuns(invocation, async (runs) => {
      const found = await findRun(runs.journal, word);
      const kindOf = undoKinds[found.kind];
      if (kindOf === undefined) throw notUndoable(found);
      await checkEnded(runs, found);
      const written = await inputOfUndoLog(runs.state.folder, found, context.clock.now());
      return { run: found, kind: kindOf(context), input: written };
    });
    notices.info(hint`command of run ${run.id}: ${reviewctl`${run.command}`}`);
    // With the id, the same command continues after this run has become the last one.
    const typed = argv.slice(2);
    const named = ['runs', 'undo', run.id, ...typed.toSpliced(typed.indexOf(word), 1)];
    const unguarded = { ...flags, planOut: undefined, maxChange: undefined };
    const undo = { ...invocation, argv: named, args: [], flags: unguarded };
    return carryOut(undo, { ...kind, undoDays: flags.undoDays }, input);
  },
});

type UndoKind = SentKind<UndoRecord, Record<string, never>>;

/** How the runs of each kind are undone. */
const undoKinds: Readonly<Record<string, (context: Context) => UndoKind>> = {
  products: (context) => ({
    ...noSettings,
    records: { name: 'products' },
    noun: 'product',
    push: ({ work, service: { api }, journal, ...opened }) =>
      runFlow(undoProductsFlow({ ...context, ...opened, api, journal: productJournal(journal) }), work),
  }),
  'order-items': () => ({
    ...noSettings,
    records: { name: 'order-items' },
    noun: 'order item',
    push: ({ work, service: { api }, ...opened }) => runFlow(undoOrderItemsFlow({ ...opened, api }), work),
  }),
};

function notUndoable({ id, kind }: Run): Failure {
  return new Failure(
    'usage',
    `run ${id} pushed ${kind}, which cannot be undone: no operation deletes the records it created`,
    hint`only runs of products and order-items can be undone: ${reviewctl`runs list`} shows them`,
  );
}

/** @throws Failure('locked') while the run is under way. */
async function checkEnded({ journal, state }: OpenRuns, { id }: Run): Promise<void> {
  const states = await runStates(await journal.runs.list(), state);
  if (states.get(id) !== 'running') return;
  throw new Failure(
    'locked',
    `run ${id} is running`,
    'wait until it has ended, then run the same command again',
  );
}
