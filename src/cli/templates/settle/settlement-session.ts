import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { nextRunId } from '../../../base/run-id.ts';
import { findFolders } from '../../../config/folders.ts';
import type { OperationName } from '../../../contract/operations.ts';
import type { Progress } from '../../../output/terminal/progress.ts';
import type { Payer } from '../../../payer/payer.ts';
import { recordedPayer, resultsFilePayer } from '../../../payer/recorded-payer.ts';
import { createRewardService, type RewardService } from '../../../settle/flow/reward-service.ts';
import type { Settlement } from '../../../settle/flow/settlement.ts';
import type { Policy } from '../../../settle/rules/policy.ts';
import {
  type LedgerLocation,
  ledgerLocation,
  postgresLedgerLocation,
} from '../../../store/ledger/ledger-location.ts';
import { openLedgerStore, ownerLocks } from '../../../store/open-store.ts';
import { checkNoKilledMove, checkStateFolder } from '../../../store/prepare-state.ts';
import { stateLocation } from '../../../store/state/state-location.ts';
import type { PayerFlags } from '../../flags/payer-flags.ts';
import type { callFlags, capFlags, ledgerFlags, settleFlags } from '../../flags/settle-flags.ts';
import type { connectionFlags } from '../../flags/shared-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { stateFolderOf, statePassword } from '../../runtime/find-state.ts';
import { type ConnectionFlags, type Session, serviceAddress, useService } from '../../runtime/session.ts';
import { openPayer } from './open-payer.ts';

type LedgerFlags = typeof ledgerFlags & Pick<typeof connectionFlags, 'baseUrl'>;
type LedgerPlaceFlags = Pick<LedgerFlags, 'ledger' | 'state' | 'statePasswordFile' | 'shop' | 'baseUrl'>;

/** The commands that hold the lock of a ledger; they never overlap. */
export const settleLockHolders = 'rewards settle or rewards export';

/** The location of a ledger, and the service that it must belong to. */
export type FoundLedger = LedgerLocation & { readonly origin: string };

/**
 * The location of the ledger named by the flags, with the files beside it, and the service that it must belong to.
 * @throws Failure('usage') if the flags name two locations, or an invalid database address; Failure('config') if a move
 *   of the state was killed.
 */
export async function findLedger(invocation: Invocation<LedgerPlaceFlags>): Promise<FoundLedger> {
  const { context, flags, sources } = invocation;
  const { state } = findFolders(context.env);
  const folder = stateFolderOf(invocation);
  const origin = serviceAddress(flags).href;
  if (flags.state === undefined && flags.ledger === undefined) await checkStateFolder(stateLocation(folder));
  if (flags.state === undefined) return { ...ledgerLocation(state, folder, flags.ledger), origin };
  if (flags.ledger !== undefined) {
    throw new Failure(
      'usage',
      `the settings ledger (${flags.ledger}) and state both set the location of the ledger`,
      hint`remove one of them; to see where each is set: ${reviewctl`config list`}`,
    );
  }
  await checkNoKilledMove(stateLocation(folder));
  const password = await statePassword(flags.statePasswordFile, context);
  const shop = flags.shop ?? sources.profile.name;
  return { ...postgresLedgerLocation(state, folder, { url: flags.state, password, shop }), origin };
}

type SettleFlags = typeof ledgerFlags &
  ConnectionFlags &
  Partial<typeof capFlags & Pick<typeof settleFlags, 'refusedStatus'>>;
type CallFlags = SettleFlags & PayerFlags & typeof callFlags;

interface SettlementOptions {
  readonly maxPerRun: Policy['maxPerRun'];
  /** True if the run is recorded; a dry run is not. */
  readonly isOnRecord: boolean;
}

/** A settlement with all its resources, open until the command has ended. */
interface OpenSettlement {
  readonly settlement: Settlement;
  readonly session: Session;
  readonly place: FoundLedger;
}

/**
 * Opens all resources of a settlement. Other processes see that this one is alive and leave its claims alone.
 * @throws Failure('ledger') after all checks of the identity of the ledger; as `useService` and `openPayer`.
 */
export function openSettlement(
  invocation: Invocation<CallFlags>,
  options: SettlementOptions,
): Promise<OpenSettlement> {
  return openWithPayer(invocation, options, invocation.flags.claimLease, async (place) => {
    const { kind, callRecordsFolder } = place;
    if (kind === 'postgres') checkSharedPayer(invocation);
    return openPayer(invocation, { callRecordsFolder, isToBeCalled: options.isOnRecord });
  });
}

/**
 * A machine may be suspended after it last read the ledger, and call the payer after others have released its claim.
 * @throws Failure('usage') for a payer that would not notice.
 */
function checkSharedPayer({ flags }: Invocation<CallFlags>): void {
  if (flags.payerIdempotent !== undefined) return;
  throw new Failure(
    'usage',
    'machines that share a ledger need a payer that pays a key at most once',
    'if it does, declare for how long: -c payer-idempotent=24h (payer check proves it); a payer without keys is for ' +
      'one machine with a ledger file',
  );
}

/** Like `openSettlement`, for a person who pays with a results file: no payer is called. */
export function openResultsSettlement(
  invocation: Invocation<SettleFlags>,
  maxPerRun: Policy['maxPerRun'],
): Promise<OpenSettlement> {
  const capabilities = {
    name: resultsFilePayer,
    idempotentForMs: null,
    replaysResponse: false,
    lookupDelayMs: 0,
  };
  return openWithPayer(invocation, { maxPerRun, isOnRecord: true }, 0, async ({ callRecordsFolder }) =>
    recordedPayer(capabilities, callRecordsFolder),
  );
}

async function openWithPayer(
  invocation: Invocation<SettleFlags>,
  { maxPerRun, isOnRecord }: SettlementOptions,
  claimLeaseMs: number,
  open: (place: LedgerLocation) => Promise<Payer>,
): Promise<OpenSettlement> {
  const { args, argv, context, defer, flags, summary } = invocation;
  const { clock, random, stopping } = context;
  const session = await useService(invocation, { completing: reports });
  const { account, api } = session;
  const place = await findLedger(invocation);
  const { origin, ...location } = place;
  const { shop, ledgerAnywhere: isAnyDisk } = flags;
  const store = await openLedgerStore(location);
  const ledger = await store.open({ origin, shop, account, isAnyDisk, clock });
  defer(() => ledger.close());
  const payer = countedPayer(await open(location), invocation);
  defer(() => payer.close());
  const owners = ownerLocks(location);
  const beganMs = clock.now();
  const run = nextRunId(beganMs);
  if (isOnRecord) {
    const owner = await owners.acquire(run, settleLockHolders);
    defer(() => owner.release());
    summary.note({ run });
    // A run for named rewards is not a run of the job that settles all of them.
    const given = args.length === 0 ? [] : [argv[1] === 'settle' ? 'ID' : 'FILE'];
    const command = [...argv.slice(0, 2), ...given].join(' ');
    await ledger.beginRun({ run, command, atMs: clock.now() });
  }
  const settlement: Settlement = {
    ledger,
    payer,
    service: createRewardService(api, { run, now: () => clock.now() }),
    policy: {
      maxPerReward: flags.maxPerReward ?? null,
      maxPerMemberPerDay: flags.maxPerMember ?? null,
      maxPerDay: flags.maxAmountPerDay ?? null,
      maxPerRun,
    },
    run,
    beganMs,
    isOwnerAlive: (owner) => owners.isHeld(owner),
    isShared: location.kind === 'postgres',
    claimLeaseMs,
    // An export reports nothing.
    refusedStatus: flags.refusedStatus ?? 'CANCELLED',
    clock,
    random,
    stopping,
  };
  return { settlement, session, place };
}

/** A payment under way is complete once it is reported. */
const reports: ReadonlySet<OperationName> = new Set(['updateReward']);

/** Counts the calls of the payer as work under way. */
function countedPayer(payer: Payer, { underWay }: Invocation<SettleFlags>): Payer {
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

/** The rewards of the service that the flags name, as `run` sees them. `progress` shows the reading of lists. */
export async function useRewards(
  invocation: Invocation<ConnectionFlags>,
  run: string,
  progress?: Progress,
): Promise<{ readonly service: RewardService; readonly account: string }> {
  const { clock, stopping } = invocation.context;
  const { api, account } = await useService(invocation);
  const service = createRewardService(api, {
    run,
    now: () => clock.now(),
    signal: stopping,
    onPage: ({ status, done, total }) =>
      progress?.update({ label: `reading ${status === undefined ? '' : `${status} `}rewards`, done, total }),
  });
  return { service, account };
}
