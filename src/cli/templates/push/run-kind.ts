import type { Service } from '../../../client/open-service.ts';
import type { PlanNote } from '../../../push/plan/note-plan.ts';
import type { Placed } from '../../../push/plan/plan-line.ts';
import { adaptiveConcurrency } from '../../../push/send/adaptive-concurrency.ts';
import type { PushJournal } from '../../../store/journal/push-journal.ts';
import { noUndoLog } from '../../../store/runs/undo-log.ts';
import type { SendingFlags } from '../../flags/push-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { guardChanges } from './change-guard.ts';
import { HeldLines } from './held-lines.ts';
import type { PushInput } from './push-input.ts';
import type { OpenedPush, SentKind } from './push-kind.ts';
import { reportPush } from './push-report.ts';
import type { PushEnd, PushRun } from './push-run.ts';

/** What a push acts upon; a dry run is not on record. */
export interface PushContext<S> {
  readonly service: Service;
  readonly journal: PushJournal;
  /** Where it is kept what this profile has sent to this service. */
  readonly folder: string;
  readonly run?: PushRun;
  /** The number of records that the last push left at the service. */
  readonly lastCount?: number;
  /** Called with each record once it is decided on. */
  readonly note?: PlanNote<S> | undefined;
}

/** Runs the flow of a kind on the records of an input, and reports what comes of it. */
export async function runKind<S extends Placed>(
  invocation: Invocation<SendingFlags>,
  kind: SentKind<S>,
  input: PushInput<S>,
  pushContext: PushContext<S>,
): Promise<PushEnd> {
  const { context, flags, notices } = invocation;
  const { service, journal, run, note, folder } = pushContext;
  if (run !== undefined) service.watch((event) => run.timeline.addRequest(event));
  const unsent = kind.warnOfUnsent?.(input.fields, service.api.assumptions);
  if (unsent !== undefined) notices.warning(unsent.message, unsent.hint);
  const guard = new AbortController();
  const stopping = AbortSignal.any([context.stopping, guard.signal]);
  const held = new HeldLines<S>(folder);
  const shards = input.part?.shard.count ?? 1;
  const review = guardChanges(invocation, kind, { ...pushContext, shards }, held);
  const opened: OpenedPush<S> = {
    work: { source: input.source(), isDryRun: run === undefined, limit: flags.limit, note, review, stopping },
    reread: input.records,
    rereadCounted: input.hasCountedIds ? input.records : undefined,
    service,
    journal,
    undoLog: run?.undoLog ?? noUndoLog,
    isShard: input.part !== undefined,
    concurrency:
      flags.concurrency === 'auto' ? adaptiveConcurrency(service, context.clock) : flags.concurrency,
    stopping,
  };
  try {
    if (input.plan === undefined) await kind.checkFirst?.(opened);
    return await reportPush(invocation, {
      ...kind,
      ...input,
      isWaiting: run !== undefined && (kind.isWaiting ?? false),
      outcomes: kind.push(opened, kind.settings ?? {}),
      run,
      service,
      stop: () => guard.abort(),
    });
  } finally {
    held.close();
  }
}
