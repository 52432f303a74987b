import { type ExitCode, Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { nextRunId } from '../../../base/run-id.ts';
import { serviceUrl } from '../../../client/open-service.ts';
import { findFolders, stateFolderPath } from '../../../config/folders.ts';
import type { OperationName } from '../../../contract/operations.ts';
import type { Payer } from '../../../payer/payer.ts';
import { recordedPayer, resultsFilePayer } from '../../../payer/recorded-payer.ts';
import { createRewardService } from '../../../settle/flow/reward-service.ts';
import type { Settlement } from '../../../settle/flow/settlement.ts';
import type { Policy } from '../../../settle/rules/policy.ts';
import type { Ledger } from '../../../store/ledger/ledger.ts';
import {
  type LedgerLocation,
  ledgerLocation,
  postgresLedgerLocation,
} from '../../../store/ledger/ledger-location.ts';
import type { Locks } from '../../../store/locks/locks.ts';
import { openLedgerStore, ownerLocks } from '../../../store/open-store.ts';
import { checkStateFolder } from '../../../store/prepare-state.ts';
import { stateLocation } from '../../../store/state/state-location.ts';
import type { PayerFlags } from '../../flags/payer-flags.ts';
import type { callFlags, ledgerFlags, settleFlags } from '../../flags/settle-flags.ts';
import type { connectionFlags } from '../../flags/shared-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { statePassword } from '../../runtime/find-state.ts';
import { requireBaseUrl, type Session, withService } from '../../runtime/session.ts';
import { openPayer } from './open-payer.ts';

type LedgerFlags = typeof ledgerFlags & Pick<typeof connectionFlags, 'baseUrl'>;
type LedgerPlaceFlags = Pick<LedgerFlags, 'ledger' | 'state' | 'statePasswordFile' | 'shop' | 'baseUrl'>;

/** Who may hold the lock of a ledger: these never overlap. */
export const settleLockHolders = 'rewards settle or rewards export';

/** Where a ledger is, and of which service it has to be. */
export type FoundLedger = LedgerLocation & { readonly origin: string };

/**
 * The place of the ledger named by the flags, with the files beside it, and the owner it has to have.
 * @throws Failure('usage') where they name two places, or one that is no address of a database.
 */
export async function findLedger({
  context,
  flags,
  sources,
}: Invocation<LedgerPlaceFlags>): Promise<FoundLedger> {
  const { env } = context;
  const service = serviceUrl(requireBaseUrl(flags.baseUrl));
  const { state } = findFolders(env);
  const folder = stateFolderPath({ state }, sources.profile.name, service);
  const origin = service.href;
  if (flags.state === undefined && flags.ledger === undefined) await checkStateFolder(stateLocation(folder));
  if (flags.state === undefined) return { ...ledgerLocation(state, folder, flags.ledger), origin };
  if (flags.ledger !== undefined) {
    throw new Failure(
      'usage',
      `the settings ledger (${flags.ledger}) and state both name the place of the ledger`,
      hint`leave one of them out; where each comes from: ${reviewctl`config list`}`,
    );
  }
  const password = await statePassword(flags.statePasswordFile, context);
  const shop = flags.shop ?? sources.profile.name;
  return { ...postgresLedgerLocation(state, folder, { url: flags.state, password, shop }), origin };
}

/**
 * Opens the ledger named by the flags after all checks of its identity, does `work` with it and closes it. Without
 * `account` the credential is not checked: for commands that only read.
 * @throws Failure('ledger') as `openLedger`; as `work`.
 */
async function withLedger<T>(
  invocation: Invocation<LedgerFlags>,
  account: string | undefined,
  work: (ledger: Ledger, place: LedgerLocation) => Promise<T>,
): Promise<T> {
  const { context, flags } = invocation;
  const { origin, ...place } = await findLedger(invocation);
  const ledger = await (await openLedgerStore(place)).open({
    origin,
    shop: flags.shop,
    account,
    isAnyDisk: flags.ledgerAnywhere,
    clock: context.clock,
    random: context.random,
  });
  try {
    return await work(ledger, place);
  } finally {
    await ledger.close();
  }
}

type SettleFlags = Omit<typeof settleFlags, 'concurrency' | 'planOwner'>;
type CallFlags = SettleFlags & PayerFlags & typeof callFlags;

export interface SettlementOptions {
  readonly maxPerRun: Policy['maxPerRun'];
  /** Whether the run is recorded; a dry run is not. */
  readonly isOnRecord: boolean;
}

/** What is done with everything open. */
type SettlementWork = (settlement: Settlement, session: Session) => Promise<ExitCode>;

/**
 * Opens everything a settlement needs, does `work` with it and closes it. Meanwhile other processes see that this one
 * is alive and leave its claims alone.
 * @throws as `withLedger`, `withService` and `openPayer`.
 */
export function withSettlement(
  invocation: Invocation<CallFlags>,
  options: SettlementOptions,
  work: SettlementWork,
): Promise<ExitCode> {
  const open = async ({ kind, callRecordsFolder }: LedgerLocation) => {
    if (kind === 'postgres') checkSharedPayer(invocation);
    return openPayer(invocation, { callRecordsFolder, isToBeCalled: options.isOnRecord });
  };
  const claimLeaseMs = invocation.flags.claimLease;
  return withPayer(invocation, { ...options, claimLeaseMs }, open, work);
}

/**
 * A machine may be suspended after its last look at the ledger, and call the payer when others have given its claim up.
 * @throws Failure('usage') for a payer that would not notice.
 */
function checkSharedPayer({ flags }: Invocation<CallFlags>): void {
  if (flags.payerIdempotent !== undefined) return;
  throw new Failure(
    'usage',
    'machines that share a ledger need a payer that pays a key at most once',
    'if it does, say for how long: -c payer-idempotent=24h (payer check proves it); a payer without keys is for one ' +
      'machine with a ledger file',
  );
}

/** As `withSettlement`, where a person pays by a results file: no payer is called. */
export function withResultsPayer(
  invocation: Invocation<SettleFlags>,
  options: SettlementOptions,
  work: SettlementWork,
): Promise<ExitCode> {
  const open = async ({ callRecordsFolder }: LedgerLocation) =>
    recordedPayer(
      { name: resultsFilePayer, idempotentForMs: null, replaysResponse: false, lookupDelayMs: 0 },
      callRecordsFolder,
    );
  return withPayer(invocation, { ...options, claimLeaseMs: 0 }, open, work);
}

type PaymentOptions = SettlementOptions & Pick<Settlement, 'claimLeaseMs'>;

async function withPayer(
  invocation: Invocation<SettleFlags>,
  options: PaymentOptions,
  open: (place: LedgerLocation) => Promise<Payer>,
  settle: SettlementWork,
): Promise<ExitCode> {
  const work = (session: Session) =>
    withLedger(invocation, session.account, async (ledger, place) => {
      const payer = countedPayer(await open(place), invocation);
      try {
        const owners = ownerLocks(place);
        const isShared = place.kind === 'postgres';
        const settlement = settlementOf(invocation, options, { session, ledger, owners, isShared, payer });
        if (!options.isOnRecord) return await settle(settlement, session);
        return await onRecord(invocation, settlement, owners, () => settle(settlement, session));
      } finally {
        await payer.close();
      }
    });
  return withService(invocation, work, { completing: reports });
}

/** A payment under way is complete once it is reported. */
const reports: ReadonlySet<OperationName> = new Set(['updateReward']);

/** The payer, whose calls are counted as work under way. */
function countedPayer(payer: Payer, { underWay }: Pick<Invocation<SettleFlags>, 'underWay'>): Payer {
  let calls = 0;
  const forget = underWay.add('payment', () => calls);
  return {
    ...payer,
    pay: async (payment, mayLeave) => {
      calls += 1;
      try {
        return await payer.pay(payment, mayLeave);
      } finally {
        calls -= 1;
      }
    },
    close: async () => {
      forget();
      await payer.close();
    },
  };
}

interface SettlementParts {
  readonly session: Session;
  readonly ledger: Ledger;
  readonly owners: Locks;
  readonly isShared: boolean;
  readonly payer: Payer;
}

function settlementOf(
  { context, flags }: Invocation<SettleFlags>,
  { maxPerRun, claimLeaseMs }: PaymentOptions,
  { session, ledger, owners, isShared, payer }: SettlementParts,
): Settlement {
  const { clock, random, stopping } = context;
  const beganMs = clock.now();
  const run = nextRunId(beganMs);
  return {
    ledger,
    payer,
    service: createRewardService(session.api, { run, now: () => clock.now() }),
    policy: {
      maxPerReward: flags.maxPerReward ?? null,
      maxPerMemberPerDay: flags.maxPerMember ?? null,
      maxPerDay: flags.maxAmountPerDay ?? null,
      maxPerRun,
    },
    run,
    beganMs,
    isOwnerAlive: (owner) => owners.isHeld(owner),
    isShared,
    claimLeaseMs,
    refusedStatus: flags.refusedStatus,
    clock,
    random,
    stopping,
  };
}

async function onRecord(
  { argv, context, summary }: Invocation<SettleFlags>,
  { ledger, run }: Settlement,
  owners: Locks,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  const owner = await owners.acquire(run, settleLockHolders);
  try {
    summary.note({ run });
    await ledger.beginRun({ run, command: argv.slice(0, 2).join(' '), atMs: context.clock.now() });
    return await work();
  } finally {
    await owner.release();
  }
}
