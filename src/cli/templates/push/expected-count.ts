import { resolve } from 'node:path';
import { Failure } from '../../../base/failure.ts';
import { counted } from '../../../output/terminal/totals.ts';
import { openExistingPushJournal } from '../../../store/open-store.ts';
import type { Run } from '../../../store/runs/run-log.ts';
import type { PushCommandFlags } from '../../flags/push-flags.ts';
import { isWithin, rangeInWords } from '../../flags/record-range.ts';
import type { Invocation } from '../../runtime/command.ts';
import { openState } from '../../runtime/find-state.ts';

type PushInvocation = Invocation<PushCommandFlags>;

/**
 * Stops a push whose number of records differs from `--expect-records`. Without that flag, stops an empty input where
 * an earlier push of the same files had records. Only pushes with records are recorded.
 * @throws Failure('guard'); as `openState` and `openPushJournal`.
 */
export async function checkCount(count: number, kind: string, invocation: PushInvocation): Promise<void> {
  const { expectRecords } = invocation.flags;
  if (expectRecords !== undefined) {
    if (isWithin(expectRecords, count)) return;
    throw new Failure(
      'guard',
      `the input has ${counted(count, 'record')}, and --expect-records says ${rangeInWords(expectRecords)}; ` +
        'nothing was sent',
      'check whether the export is complete; if it is, change --expect-records',
    );
  }
  if (count > 0) return;
  const before = await lastPush(kind, invocation);
  if (before === undefined) return;
  throw new Failure(
    'guard',
    `the input has no records, and its last push, run ${before.id}, had ${recordsOf(before)}; nothing was sent`,
    'check whether the export is complete; if there is nothing to send, add --expect-records 0..',
  );
}

async function lastPush(kind: string, invocation: PushInvocation): Promise<Run | undefined> {
  const journal = await openExistingPushJournal(await openState(invocation, { isReadOnly: true }));
  if (journal === undefined) return undefined;
  try {
    const runs = await journal.runs.list();
    return runs.find((run) => run.kind === kind && isOfSameInput(run, invocation));
  } finally {
    await journal.close();
  }
}

/** Whether a run read the same files, or the same command fed its standard input. */
function isOfSameInput(run: Run, { args, argv, context }: PushInvocation): boolean {
  if (args.includes('-') && run.command.join('\0') !== argv.join('\0')) return false;
  const files = (folder: string, names: readonly string[]) =>
    names.map((name) => (name === '-' ? name : resolve(folder, name))).toSorted();
  return files(run.folder, run.files).join('\0') === files(context.cwd, args).join('\0');
}

function recordsOf({ end }: Run): string {
  const done = Object.values(end?.tally ?? {}).reduce((sum, count) => sum + count, 0);
  return done === 0 ? 'some' : counted(done, 'record');
}
