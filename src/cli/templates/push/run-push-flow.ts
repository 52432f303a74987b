import type { Placed } from '../../../push/plan/plan-line.ts';
import { adaptiveConcurrency } from '../../../push/send/adaptive-concurrency.ts';
import { noUndoLog } from '../../../store/runs/undo-log.ts';
import type { SendingFlags } from '../../flags/push-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { guardChanges } from './change-guard.ts';
import { HeldLines } from './held-lines.ts';
import type { PushInput } from './push-input.ts';
import type { OpenedPush, SentKind } from './push-kind.ts';
import { reportPush } from './push-report.ts';
import type { PushContext, PushEnd } from './push-run.ts';

/** Runs the flow of a kind on the records of an input, and reports the outcomes. */
export async function runPushFlow<S extends Placed>(
  invocation: Invocation<SendingFlags>,
  kind: SentKind<S>,
  input: PushInput<S>,
  pushContext: PushContext<S>,
): Promise<PushEnd> {
  const { context, flags, notices } = invocation;
  const { service, journal, run, note, folder } = pushContext;
  if (run !== undefined) service.watch(({ tookMs }) => run.recorder.addRequest(tookMs));
  const unsent = kind.warnOfUnsent?.(input.fields, service.api.assumptions);
  if (unsent !== undefined) notices.warning(unsent.message, unsent.hint);
  const guard = new AbortController();
  const stopping = AbortSignal.any([context.stopping, guard.signal]);
  const held = new HeldLines<S>(folder);
  invocation.defer(async () => held.close());
  const review = guardChanges(invocation, kind, pushContext, input.part?.shard.count ?? 1, held);
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
  if (input.plan === undefined) await kind.checkFirst?.(opened);
  return reportPush(invocation, {
    ...kind,
    ...input,
    isWaiting: run !== undefined && (kind.isWaiting ?? false),
    outcomes: kind.push(opened, kind.settings ?? {}),
    run,
    service,
    stop: () => guard.abort(),
  });
}
