import type { ExitCode } from '../../../base/failure.ts';
import { type Shard, shardText } from '../../../base/shard.ts';
import type { Notices } from '../../../output/terminal/notices.ts';
import { counted } from '../../../output/terminal/totals.ts';
import { ResetByUpdate } from '../../../push/fields/contradictory-reply.ts';
import type { PlanNote } from '../../../push/plan/note-plan.ts';
import type { Placed } from '../../../push/plan/plan-line.ts';
import type { JournaledKind, PushJournal } from '../../../store/journal/push-journal.ts';
import { pushLockName } from '../../../store/locks/locks.ts';
import { accountNote, openPushJournal, readPushJournal } from '../../../store/open-store.ts';
import type { Run } from '../../../store/runs/run-log.ts';
import { type AccountNote, checkAccount } from '../../../store/state/account-note.ts';
import { noteResets } from '../../../store/state/folder-notes.ts';
import type { StateLocation } from '../../../store/state/state-location.ts';
import type { SendingFlags } from '../../flags/push-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { lockState, openState } from '../../runtime/find-state.ts';
import { type Session, useService } from '../../runtime/session.ts';
import { keepProductKey } from './keep-product-key.ts';
import { planPush } from './plan-out.ts';
import { checkPlanAccount, checkUnsent } from './planned-input.ts';
import type { PushInput } from './push-input.ts';
import type { SentKind } from './push-kind.ts';
import { withPushRun } from './push-run.ts';
import { refuseResets } from './refuse-resets.ts';
import { runPushFlow } from './run-push-flow.ts';
import { runsBeside } from './runs-beside.ts';

/** Decides on the records of an input and sends the requests, or only prints or stores them. */
export async function executePush<S extends Placed>(
  invocation: Invocation<SendingFlags>,
  kind: SentKind<S>,
  input: PushInput<S>,
): Promise<ExitCode> {
  const { flags } = invocation;
  if (flags.dryRun || flags.planOut !== undefined) {
    const dry = { ...invocation, flags: { ...flags, dryRun: true } };
    // A dry run writes nothing, not even a folder.
    return pushDry(dry, kind, input, await openState(invocation, { isReadOnly: true }));
  }
  const { name } = kind.records;
  const shard = input.part?.shard;
  const activity = `${name} push${shard === undefined ? '' : ` --shard ${shardText(shard)}`}`;
  const state = await lockState(invocation, pushLockName(name, shard), activity);
  return pushOnRecord(invocation, kind, input, state);
}

async function pushDry<S extends Placed>(
  invocation: Invocation<SendingFlags>,
  kind: SentKind<S>,
  input: PushInput<S>,
  state: StateLocation,
): Promise<ExitCode> {
  const { planOut } = invocation.flags;
  const journal = await readPushJournal(state);
  invocation.defer(() => journal.close());
  const service = await useService(invocation);
  await checkAccount(accountNote(state), service.account);
  if (input.plan !== undefined) checkPlanAccount(input.plan, service.account);
  const decide = (note?: PlanNote<S>) =>
    runPushFlow(invocation, kind, input, { service, journal, folder: state.folder, note });
  if (planOut === undefined) return (await decide()).exitCode;
  return planPush(invocation, planOut, { kind, input, service }, decide);
}

async function pushOnRecord<S extends Placed>(
  invocation: Invocation<SendingFlags>,
  kind: SentKind<S>,
  input: PushInput<S>,
  state: StateLocation,
): Promise<ExitCode> {
  const { plan, part } = input;
  refuseResets(state.folder, kind.records.name, invocation.flags.assume);
  const journal = await openPushJournal(state);
  invocation.defer(() => journal.close());
  const service = await useService(invocation);
  const account = accountNote(state);
  await checkAccount(account, service.account);
  const runs = await journal.runs.list();
  await runsBeside(runs, { kind: kind.records.name, shard: part?.shard }, state);
  if (plan !== undefined) {
    checkPlanAccount(plan, service.account);
    checkUnsent(plan, runs);
  }
  await service.confirmWrites();
  const kept = accountKeeping(service, account);
  const lastCount = countOfLast(runs, kind.records.name, part?.shard);
  return withPushRun(invocation, kind, input, { journal, state }, async (run) => {
    if (kind.journaled !== undefined) await recoverLost(run.journal, kind.journaled, invocation.notices);
    const ground = { service, journal: run.journal, folder: state.folder, run, lastCount };
    try {
      const end = await runPushFlow(invocation, kind, input, ground);
      if (end.failure instanceof ResetByUpdate) noteResets(state.folder);
      await keepProductKey(input.productKey, end.tally, invocation);
      return end;
    } finally {
      await kept();
    }
  });
}

/** Marks the records that a killed run left in progress as unknown, and reports their number. */
async function recoverLost(journal: PushJournal, kind: JournaledKind, notices: Notices): Promise<void> {
  const lost = await journal.recover(kind);
  if (lost > 0) {
    notices.warning(
      `${counted(lost, 'record')} ${lost === 1 ? 'was' : 'were'} in progress when an earlier run was killed`,
    );
  }
}

/** Stores the account once a reply accepts its credential. The returned function waits for that. */
function accountKeeping(service: Session, note: AccountNote): () => Promise<void> {
  let isKept = false;
  let keeping = Promise.resolve();
  service.watch(({ result }) => {
    if (isKept || typeof result !== 'number' || result < 200 || result >= 300) return;
    isKept = true;
    // An error here would look like the failure of a request that succeeded; the next reply tries again.
    keeping = note.keep(service.account).catch(() => {
      isKept = false;
    });
  });
  return () => keeping;
}

/**
 * Number of records that the last push of this kind and shard left at the service. An undo, which reads no file, does
 * not count.
 */
function countOfLast(runs: readonly Run[], kind: string, shard: Shard | undefined): number {
  const lock = pushLockName(kind, shard);
  const last = runs.find(
    (run) => pushLockName(run.kind, run.shard) === lock && run.end !== undefined && run.files.length > 0,
  );
  const { created = 0, updated = 0, unchanged = 0, queued = 0, skipped = 0 } = last?.end?.tally ?? {};
  return created + updated + unchanged + queued + skipped;
}
