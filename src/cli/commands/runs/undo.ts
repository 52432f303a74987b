import { type ExitCode, Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { runFlow } from '../../../push/plan/run-flow.ts';
import { undoOrderItemsFlow, undoProductsFlow } from '../../../push/undo/undo.ts';
import type { Run } from '../../../store/runs/run-log.ts';
import type { UndoRecord } from '../../../store/runs/undo-log.ts';
import { readUndoLog } from '../../../store/runs/undo-log.ts';
import { listUndoLogs } from '../../../store/runs/undo-log-files.ts';
import type { StateLocation } from '../../../store/state/state-location.ts';
import { sendingFlags } from '../../flags/push-flags.ts';
import { undoFlags } from '../../flags/sending-flags.ts';
import { type Context, defineCommand } from '../../runtime/command.ts';
import { executePush } from '../../templates/push/execute-push.ts';
import type { PushInput } from '../../templates/push/push-input.ts';
import type { SentKind } from '../../templates/push/push-kind.ts';
import { runStates } from '../../templates/push/run-states.ts';
import { findRun, type OpenRuns, runArgument, useRuns } from './open-runs.ts';

export const command = defineCommand({
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
    const runs = await useRuns(invocation);
    const run = await findRun(runs.journal, word);
    const kind = undoKinds[run.kind]?.(context);
    if (kind === undefined) throw notUndoable(run);
    await checkEnded(runs, run);
    const input = await inputOfUndoLog(runs.state, run, context.clock.now());
    notices.info(hint`command of run ${run.id}: ${reviewctl`${run.command}`}`);
    // With the id, the same command can be repeated after this run has become the last one.
    const typed = argv.slice(2);
    const named = ['runs', 'undo', run.id, ...typed.toSpliced(typed.indexOf(word), 1)];
    const unguarded = { ...flags, planOut: undefined, maxChange: undefined };
    const undo = { ...invocation, argv: named, args: [], flags: unguarded };
    return executePush(undo, { ...kind, undoDays: flags.undoDays }, input);
  },
});

type UndoKind = SentKind<UndoRecord>;

/** The undo of each kind of run. */
const undoKinds: Readonly<Record<string, (context: Context) => UndoKind>> = {
  products: (context) => ({
    records: { name: 'products' },
    noun: 'product',
    push: ({ work, service: { api }, ...opened }) =>
      runFlow(undoProductsFlow({ ...context, ...opened, api }), work),
  }),
  'order-items': () => ({
    records: { name: 'order-items' },
    noun: 'order item',
    push: ({ work, service: { api }, ...opened }) => runFlow(undoOrderItemsFlow({ ...opened, api }), work),
  }),
};

function notUndoable({ id, kind }: Run): Failure {
  return new Failure(
    'usage',
    `run ${id} pushed ${kind}, which cannot be undone: no operation deletes records that it created, and the ` +
      'earlier values of changed records are not stored',
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

/**
 * The input of an undo, from the values that a run replaced, in the state folder.
 * @throws Failure('usage') if no values are stored, or none were replaced; Failure('unreadable-path') if they cannot be
 * read.
 */
async function inputOfUndoLog(
  { folder, kind }: StateLocation,
  run: Run,
  nowMs: number,
): Promise<PushInput<UndoRecord>> {
  const files = listUndoLogs(folder, nowMs).filter((file) => file.run === run.id);
  if (files.length === 0) throw nothingKept(run, kind === 'postgres');
  // Values that can be written back come first.
  const ordered = files.toSorted((one) => (one.holds === 'updates' ? -1 : 1));
  const records = () => readUndoLog(folder, ordered);
  let count = 0;
  for await (const batch of records()) count += batch.length;
  if (count === 0) throw nothingKept(run, kind === 'postgres');
  return {
    count,
    source: () => ({ kind: 'input', batches: records() }),
    records,
    leftOut: async function* () {},
    hasCountedIds: false,
    fields: [],
    productKey: undefined,
  };
}

/** If `isShared`, the state has runs of other machines, whose replaced values are stored there. */
function nothingKept({ id, kind, end }: Run, isShared: boolean): Failure {
  const { updated = 0, created = 0, failed = 0, unknown = 0 } = end?.tally ?? {};
  const hasWritten = end === undefined || updated + created + failed + unknown > 0;
  const elsewhere = isShared ? ', or it was pushed on another machine' : '';
  return new Failure(
    'usage',
    hasWritten
      ? `the values that run ${id} replaced are not stored: it was pushed with -c undo-days=0, its undo-days ` +
          `(default 30) are over, or it replaced none${elsewhere}`
      : `run ${id} changed nothing, so there is nothing to undo`,
    hasWritten
      ? hint`to restore earlier values, push them from a file: ${reviewctl`${kind} push FILE`}`
      : hint`to see its results: ${reviewctl`runs show ${id}`}`,
  );
}
