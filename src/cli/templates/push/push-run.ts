import { type ExitCode, Failure, strongestExitCode } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { redactSecrets } from '../../../base/redact.ts';
import type { Service } from '../../../client/open-service.ts';
import type { PlanNote } from '../../../push/plan/note-plan.ts';
import type { Placed } from '../../../push/plan/plan-line.ts';
import { emptyTally, type PushOutcome, type ShownOutcome, type Tally } from '../../../push/steps/outcome.ts';
import type { PushJournal, RunJournal } from '../../../store/journal/push-journal.ts';
import { TimelineRecorder } from '../../../store/runs/run-timeline.ts';
import { openUndoLog, type RunUndoLog } from '../../../store/runs/undo-log.ts';
import type { StateLocation } from '../../../store/state/state-location.ts';
import type { SendingFlags } from '../../flags/push-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { openRejects, recordName } from './open-rejects.ts';
import type { PushInput } from './push-input.ts';
import type { SentKind } from './push-kind.ts';
import { RunRecords } from './run-records.ts';
import { endedBy, runsBeside } from './runs-beside.ts';

/** A recorded push. */
export interface PushRun {
  readonly id: string;
  /** Records what it sends as sent by this run. */
  readonly journal: PushJournal;
  readonly undoLog: RunUndoLog;
  /** Its timeline is stored when the run ends. */
  readonly recorder: TimelineRecorder;
  /** Records the outcomes that need attention; awaited before they are printed. */
  note(outcomes: readonly ShownOutcome[]): Promise<void>;
}

/** The environment of a push; a dry run is not recorded. */
export interface PushContext<S> {
  readonly service: Service;
  readonly journal: PushJournal;
  /** The folder of what this profile has sent to this service. */
  readonly folder: string;
  readonly run?: PushRun;
  /** The number of records that the last push left at the service. */
  readonly lastCount?: number;
  /** Called with each record once it is decided. */
  readonly note?: PlanNote<S> | undefined;
}

/** The result of a push. */
export interface PushEnd {
  readonly exitCode: ExitCode;
  readonly tally: Tally;
  /** True if every record has an outcome. */
  readonly isWhole: boolean;
  /** The failure that stopped the push. */
  readonly failure?: Failure | undefined;
}

/** True if a person may want to return to this outcome. */
export function needsAttention({ outcome }: Pick<PushOutcome, 'outcome'>): boolean {
  return outcome === 'rejected' || outcome === 'failed' || outcome === 'unknown';
}

/**
 * Runs `work` as a recorded run: its start is recorded before, its end after, even if `work` fails. A run without an
 * end whose lock is free was killed.
 * @throws as `work`; Failure('locked') if another run sends the same records; Failure('unreadable-path') if the journal
 * fails.
 */
export async function withPushRun<S extends Placed>(
  { argv, args, context, notices, secrets, summary }: Invocation<SendingFlags>,
  { records: { name: kind }, undoDays = 0 }: SentKind<S>,
  { part, ...input }: PushInput<S>,
  { journal, state }: { readonly journal: RunJournal; readonly state: StateLocation },
  work: (run: PushRun) => Promise<PushEnd>,
): Promise<ExitCode> {
  const { clock, cwd } = context;
  const plan = input.plan?.file;
  const id = await journal.runs.begin({
    kind,
    command: withoutPing(argv).map((word) => withoutSecrets(word, secrets)),
    folder: cwd,
    files: plan === undefined ? args : [plan.path],
    startedMs: clock.now(),
    ...(plan === undefined ? {} : { plan: plan.heading.id }),
    ...(part === undefined ? {} : { input: part.input, shard: part.shard }),
  });
  const recorder = new TimelineRecorder(clock);
  let closed = 0;
  summary.note({ run: id });
  const end = ({ exitCode, tally, isWhole }: PushEnd) => {
    const ended = { endedMs: clock.now(), exitCode, tally, isWhole, ...(closed > 0 ? { closed } : {}) };
    return journal.runs.end(id, ended, recorder.timeline);
  };
  const undoLog = openUndoLog(state.folder, { run: id, days: undoDays, nowMs: clock.now() });
  const records = new RunRecords(journal.runs, id);
  let done: PushEnd;
  try {
    const runs = await journal.runs.list();
    const beside = await runsBeside(runs, { kind, shard: part?.shard }, state);
    const isEnded = part === undefined ? undefined : endedBy(runs, beside);
    if (part !== undefined) await records.keepAll(part.places());
    const open = new Set((await openRejects(journal, kind)).map(({ outcome }) => recordName(outcome)));
    const closes = (outcome: PushOutcome) => open.delete(recordName(outcome));
    done = await work({
      id,
      undoLog,
      recorder,
      journal: {
        ...journal,
        begin: (of, entries) => journal.begin(of, entries, id),
        recover: (of) => journal.recover(of, isEnded),
      },
      note: async (outcomes) => {
        const noted = outcomes.filter(needsAttention);
        const succeeded = outcomes.filter((one) => !needsAttention(one) && closes(one));
        closed += succeeded.length;
        if (noted.length + succeeded.length > 0) await journal.runs.note(id, [...noted, ...succeeded]);
        if (part !== undefined) await records.keep(outcomes);
      },
    });
  } catch (error) {
    // A failed journal cannot record anything, and the first error is the one to report.
    const exitCode = error instanceof Failure ? error.exitCode : 1;
    await end({ exitCode, tally: emptyTally(), isWhole: false }).catch(() => undefined);
    throw error;
  } finally {
    await undoLog.close();
  }
  try {
    await records.flush();
    await end(done);
    return done.exitCode;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    notices.warning(
      `the end of run ${id} was not recorded: ${error.message}`,
      hint`${reviewctl`runs list`} shows it as killed`,
    );
    return strongestExitCode([done.exitCode, error.exitCode]);
  }
}

function withoutSecrets(word: string, secrets: Iterable<string>): string {
  return redactSecrets(word, secrets).replace(
    /(?<=:)(?<!^(?:-c|--config=)?(?:state=)?postgres(?:ql)?:)\/\/[^/@\s]*@/,
    '//[redacted]@',
  );
}

/** Removes the address of a monitor, which is not stored. */
function withoutPing(argv: readonly string[]): readonly string[] {
  const isPing = (word = '') => /^(?:-c|--config=)?(?:[a-z-]+\.)?ping=/.test(word);
  const isFlag = (word: string) => word === '-c' || word === '--config';
  return argv.filter((word, at) => !isPing(word) && !(isFlag(word) && isPing(argv[at + 1])));
}
