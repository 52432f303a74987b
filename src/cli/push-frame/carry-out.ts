import * as z from 'zod';
import type { ExitCode } from '../../base/failure.ts';
import type { JsonObject } from '../../base/json.ts';
import { type Service, serviceUrl } from '../../client/open-service.ts';
import { findFolders, stateFolder, stateFolderPath } from '../../config/folders.ts';
import type { Assumptions } from '../../contract/assumptions.ts';
import type { Identified, RecordKind } from '../../input/record-kinds.ts';
import { adaptiveConcurrency } from '../../push/adaptive-concurrency.ts';
import type { Compiler } from '../../push/compile/compiler.ts';
import type { PlanNote } from '../../push/note-plan.ts';
import type { Outcome } from '../../push/outcome.ts';
import type { Placed } from '../../push/plan-line.ts';
import type { FlowOptions } from '../../push/push-flow.ts';
import type { StepOptions } from '../../push/run-steps.ts';
import { checkAccount, keepAccount } from '../../store/account-file.ts';
import type { PushJournal } from '../../store/push-journal.ts';
import { readPushJournal } from '../../store/read-push-journal.ts';
import { pushLockPath, takeRunLock } from '../../store/run-lock.ts';
import { journalPath, openSqlitePushJournal } from '../../store/sqlite-push-journal.ts';
import type { Invocation } from '../command.ts';
import type { PushCommandFlags } from '../flags/push-flags.ts';
import { requireBaseUrl, type Session, withService } from '../session.ts';
import { keepProductKey } from './keep-product-key.ts';
import { planPush } from './plan-out.ts';
import { checkPlanAccount, checkUnsent } from './planned-input.ts';
import type { PushInput } from './push-input.ts';
import { reportPush } from './push-report.ts';
import { type PushEnd, type PushRun, withPushRun } from './push-run.ts';
import { type UnsentWarning, unsentInWords } from './unsent-warning.ts';

/** What a push works with once its input was found good. */
export interface OpenedPush<S> {
  /** What its flow is to be run with. */
  readonly work: FlowOptions<S>;
  /** All records from the start. */
  readonly reread: () => AsyncIterable<readonly S[]>;
  /** `reread`, only where the originIds are made with `{n}`. */
  readonly rereadCounted: (() => AsyncIterable<readonly S[]>) | undefined;
  readonly service: Service;
  /** What this profile has sent to this service; for a dry run to be read alone. */
  readonly journal: PushJournal;
  /** How many requests may be under way at once. */
  readonly concurrency: StepOptions['concurrency'];
  /** Aborted to take no new record; what is under way is finished. */
  readonly stopping: AbortSignal;
}

/** `T` is a record as the input gives it, `S` one that is ready to be sent, `P` what else decides on what is sent. */
export interface PushKind<T extends Identified, S extends Placed, P extends JsonObject> {
  readonly records: RecordKind<T>;
  readonly settings: P;
  /** Reads the settings back from a plan. */
  readonly settingsSchema: z.ZodType<P>;
  /** How its records wait to be sent. */
  readonly compiler: (assumptions: Assumptions) => Compiler<T, S>;
  /** One of them: `order item`. */
  readonly noun: string;
  /** Whether queued records are followed to the end of their jobs. */
  readonly isWaiting?: boolean;
  /** What is in `fields`, those the input has values for, and cannot be sent to this service; without it all can. */
  warnOfUnsent?(fields: readonly string[], assumptions: Assumptions): UnsentWarning | undefined;
  /** Looks at the input before anything is sent. */
  checkFirst?(opened: OpenedPush<S>): Promise<void>;
  /** Carries it out; called with the lock of this kind held, but for a dry run. */
  push(opened: OpenedPush<S>, settings: P): AsyncIterable<readonly Outcome[]>;
}

/** Of kinds that their records alone decide on. */
export const noSettings = { settings: {}, settingsSchema: z.strictObject({}) };

/** Decides on the records of an input, and sends what was decided unless that is only to be told or kept. */
export async function carryOut<T extends Identified, S extends Placed, P extends JsonObject>(
  invocation: Invocation<PushCommandFlags>,
  kind: PushKind<T, S, P>,
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
  const lock = await takeRunLock(pushLockPath(folder, kind.records.name), `${kind.records.name} push`);
  try {
    return await pushOnRecord(invocation, kind, input, folder);
  } finally {
    lock.release();
  }
}

async function pushDry<T extends Identified, S extends Placed, P extends JsonObject>(
  invocation: Invocation<PushCommandFlags>,
  kind: PushKind<T, S, P>,
  input: PushInput<S>,
  folder: string,
): Promise<ExitCode> {
  const { planOut, sameShop } = invocation.flags;
  const journal = await readPushJournal(journalPath(folder));
  try {
    return await withService(invocation, async (service) => {
      checkAccount(folder, service.account, sameShop);
      if (input.plan !== undefined) checkPlanAccount(input.plan, service.account, sameShop);
      const decide = (note?: PlanNote<S>) => push(invocation, kind, input, { service, journal, note });
      if (planOut === undefined) return (await decide()).exitCode;
      const unsent = kind.warnOfUnsent?.(input.fields, service.api.assumptions)?.fields ?? [];
      const made = { kind: kind.records.name, settings: kind.settings, unsent, account: service.account };
      return planPush(invocation, planOut, { input, made }, decide);
    });
  } finally {
    await journal.close();
  }
}

async function pushOnRecord<T extends Identified, S extends Placed, P extends JsonObject>(
  invocation: Invocation<PushCommandFlags>,
  kind: PushKind<T, S, P>,
  input: PushInput<S>,
  folder: string,
): Promise<ExitCode> {
  const { plan } = input;
  const journal = await openSqlitePushJournal(journalPath(folder));
  try {
    return await withService(invocation, async (service) => {
      checkAccount(folder, service.account, invocation.flags.sameShop);
      if (plan !== undefined) {
        checkPlanAccount(plan, service.account, invocation.flags.sameShop);
        checkUnsent(plan, await journal.runs.list());
      }
      await service.confirmWrites();
      if (invocation.flags.sameShop) keepAccount(folder, service.account);
      else keepAccountOnceAccepted(service, folder);
      const start = { kind: kind.records.name, plan: plan?.file };
      return withPushRun(invocation, start, journal, async (run) => {
        const end = await push(invocation, kind, input, { service, journal: run.journal, run });
        await keepProductKey(input.productKey, end.tally, invocation);
        return end;
      });
    });
  } finally {
    await journal.close();
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

/** What a push acts upon; a dry run is not on record. */
interface Ground<S> {
  readonly service: Service;
  readonly journal: PushJournal;
  readonly run?: PushRun;
  /** Told of each record once it is decided on. */
  readonly note?: PlanNote<S> | undefined;
}

async function push<T extends Identified, S extends Placed, P extends JsonObject>(
  invocation: Invocation<PushCommandFlags>,
  kind: PushKind<T, S, P>,
  input: PushInput<S>,
  { service, journal, run, note }: Ground<S>,
): Promise<PushEnd> {
  const { context, flags } = invocation;
  tellUnsent(kind.warnOfUnsent?.(input.fields, service.api.assumptions), invocation);
  const guard = new AbortController();
  const stopping = AbortSignal.any([context.stopping, guard.signal]);
  const { limit } = flags;
  const opened: OpenedPush<S> = {
    work: { source: input.source(), isDryRun: run === undefined, limit, note, stopping },
    reread: input.records,
    rereadCounted: input.hasCountedIds ? input.records : undefined,
    service,
    journal,
    concurrency:
      flags.concurrency === 'auto' ? adaptiveConcurrency(service, context.clock) : flags.concurrency,
    stopping,
  };
  if (input.plan === undefined) await kind.checkFirst?.(opened);
  async function* outcomes(): AsyncGenerator<readonly Outcome[]> {
    yield* input.leftOut();
    yield* kind.push(opened, kind.settings);
  }
  return reportPush(invocation, {
    noun: kind.noun,
    isWaiting: run !== undefined && (kind.isWaiting ?? false),
    count: input.count,
    outcomes: outcomes(),
    run,
    stop: () => guard.abort(),
  });
}

function tellUnsent(unsent: UnsentWarning | undefined, { notices }: Invocation<PushCommandFlags>): void {
  if (unsent === undefined) return;
  notices.warning(unsentInWords(unsent), unsent.hint);
}
