import type { ExitCode } from '../../../base/failure.ts';
import type { JsonObject } from '../../../base/json.ts';
import { type Shard, shardText } from '../../../base/shard.ts';
import { serviceUrl } from '../../../client/open-service.ts';
import { findFolders, stateFolder, stateFolderPath } from '../../../config/folders.ts';
import type { Notices } from '../../../output/terminal/notices.ts';
import { counted } from '../../../output/terminal/totals.ts';
import type { PlanNote } from '../../../push/plan/note-plan.ts';
import type { Placed } from '../../../push/plan/plan-line.ts';
import type { JournaledKind, PushJournal } from '../../../store/journal/push-journal.ts';
import { pushLockName } from '../../../store/locks/locks.ts';
import { openPushJournal, readPushJournal, stateLocation, stateLocks } from '../../../store/open-store.ts';
import { checkAccount, keepAccount } from '../../../store/profile/account-file.ts';
import type { Run } from '../../../store/runs/run-log.ts';
import type { SendingFlags } from '../../flags/push-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { requireBaseUrl, type Session, withService } from '../../runtime/session.ts';
import { keepProductKey } from './keep-product-key.ts';
import { planPush } from './plan-out.ts';
import { checkPlanAccount, checkUnsent } from './planned-input.ts';
import type { PushInput } from './push-input.ts';
import type { SentKind } from './push-kind.ts';
import { withPushRun } from './push-run.ts';
import { runKind } from './run-kind.ts';
import { runsBeside } from './runs-beside.ts';

/** Decides on the records of an input and sends the requests, unless they are only printed or stored. */
export async function carryOut<S extends Placed, P extends JsonObject>(
  invocation: Invocation<SendingFlags>,
  kind: SentKind<S, P>,
  input: PushInput<S>,
): Promise<ExitCode> {
  const { context, flags, sources } = invocation;
  const address = serviceUrl(requireBaseUrl(flags.baseUrl));
  const place = [findFolders(context.env), sources.profile.name, address] as const;
  if (flags.dryRun || flags.planOut !== undefined) {
    const dry = { ...invocation, flags: { ...flags, dryRun: true } };
    // A dry run writes nothing, not even a folder.
    return pushDry(dry, kind, input, stateFolderPath(...place));
  }
  const folder = stateFolder(...place);
  const { name } = kind.records;
  const shard = input.part?.shard;
  const activity = `${name} push${shard === undefined ? '' : ` --shard ${shardText(shard)}`}`;
  const lock = await stateLocks(stateLocation(folder)).acquire(pushLockName(name, shard), activity);
  try {
    return await pushOnRecord(invocation, kind, input, folder);
  } finally {
    await lock.release();
  }
}

async function pushDry<S extends Placed, P extends JsonObject>(
  invocation: Invocation<SendingFlags>,
  kind: SentKind<S, P>,
  input: PushInput<S>,
  folder: string,
): Promise<ExitCode> {
  const { planOut, credentialChanged } = invocation.flags;
  const journal = await readPushJournal(stateLocation(folder));
  try {
    return await withService(invocation, async (service) => {
      checkAccount(folder, service.account, credentialChanged);
      if (input.plan !== undefined) checkPlanAccount(input.plan, service.account, credentialChanged);
      const decide = (note?: PlanNote<S>) =>
        runKind(invocation, kind, input, { service, journal, folder, note });
      if (planOut === undefined) return (await decide()).exitCode;
      const unsent = kind.warnOfUnsent?.(input.fields, service.api.assumptions)?.fields ?? [];
      const made = { kind: kind.records.name, settings: kind.settings, unsent, account: service.account };
      return planPush(invocation, planOut, { input, made }, decide);
    });
  } finally {
    await journal.close();
  }
}

async function pushOnRecord<S extends Placed, P extends JsonObject>(
  invocation: Invocation<SendingFlags>,
  kind: SentKind<S, P>,
  input: PushInput<S>,
  folder: string,
): Promise<ExitCode> {
  const { plan, part } = input;
  const journal = await openPushJournal(stateLocation(folder));
  try {
    return await withService(invocation, async (service) => {
      checkAccount(folder, service.account, invocation.flags.credentialChanged);
      const runs = await journal.runs.list();
      await runsBeside(runs, { kind: kind.records.name, shard: part?.shard }, folder);
      if (plan !== undefined) {
        checkPlanAccount(plan, service.account, invocation.flags.credentialChanged);
        checkUnsent(plan, runs);
      }
      await service.confirmWrites();
      if (invocation.flags.credentialChanged) keepAccount(folder, service.account);
      else keepAccountOnceAccepted(service, folder);
      const { undoDays = 0 } = kind;
      const start = { kind: kind.records.name, plan: plan?.file, part, folder, undoDays };
      const lastCount = countOfLast(runs, kind.records.name, part?.shard);
      return withPushRun(invocation, start, journal, async (run) => {
        if (kind.journaled !== undefined) await recoverLost(run.journal, kind.journaled, invocation.notices);
        const ground = { service, journal: run.journal, folder, run, lastCount };
        const end = await runKind(invocation, kind, input, ground);
        await keepProductKey(input.productKey, end.tally, invocation);
        return end;
      });
    });
  } finally {
    await journal.close();
  }
}

/** Makes unknown what a killed run left under way, and says so. */
async function recoverLost(journal: PushJournal, kind: JournaledKind, notices: Notices): Promise<void> {
  const lost = await journal.recover(kind);
  if (lost > 0) {
    notices.warning(
      `${counted(lost, 'record')} ${lost === 1 ? 'was' : 'were'} in progress when an earlier run was killed`,
    );
  }
}

function keepAccountOnceAccepted(service: Session, folder: string): void {
  let isKept = false;
  service.watch(({ result }) => {
    if (isKept || typeof result !== 'number' || result < 200 || result >= 300) return;
    try {
      keepAccount(folder, service.account);
      isKept = true;
    } catch {
      // Thrown here, it would pass for the failure of a request that was answered; the next answer tries again.
    }
  });
}

/** How many records the last push of this kind and shard left at the service; an undo, which reads no file, is none. */
function countOfLast(runs: readonly Run[], kind: string, shard: Shard | undefined): number {
  const lock = pushLockName(kind, shard);
  const last = runs.find(
    (run) => pushLockName(run.kind, run.shard) === lock && run.end !== undefined && run.files.length > 0,
  );
  const { created = 0, updated = 0, unchanged = 0, queued = 0, skipped = 0 } = last?.end?.tally ?? {};
  return created + updated + unchanged + queued + skipped;
}
