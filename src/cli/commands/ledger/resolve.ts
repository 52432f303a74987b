import { type ExitCode, Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import type { JsonObject } from '../../../base/json.ts';
import { timeInWords } from '../../../base/korean-time.ts';
import { nextRunId } from '../../../base/run-id.ts';
import { findPayer } from '../../../config/setting-sources.ts';
import { counted } from '../../../output/terminal/totals.ts';
import { resolvedView } from '../../../output/views/reward-views.ts';
import { recordedPayer } from '../../../payer/recorded-payer.ts';
import { isBatch } from '../../../settle/flow/entry-record.ts';
import type { ObservedReward } from '../../../settle/flow/reward-service.ts';
import {
  type Finding,
  findUnseen,
  type RewardResolution,
  resolveReward,
  resolveUnseen,
  whyKept,
} from '../../../settle/manual/resolve-reward.ts';
import type { Ledger, LedgerEntry } from '../../../store/ledger/ledger.ts';
import { groupFlags, switchFlag, textFlag } from '../../flags/flags.ts';
import { payerFlags } from '../../flags/payer-flags.ts';
import { askFlags, connectionFlags, outputFlags } from '../../flags/shared-flags.ts';
import { isChangeConfirmed } from '../../runtime/ask.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';
import { printRecords } from '../../runtime/print.ts';
import { readIds } from '../../templates/batch/read-ids.ts';
import { payerPromises } from '../../templates/settle/open-payer.ts';
import { useRewards } from '../../templates/settle/settlement-session.ts';
import { type LedgerInUse, offlineFlags, useLedger } from './offline-ledger.ts';
import { requireEntry } from './show.ts';

const { payerIdempotent, payerLookupDelay, payerReplaysResponse } = payerFlags;

const flags = {
  ...groupFlags('Finding', {
    paid: switchFlag('the payer paid it; needs --ref'),
    refused: switchFlag('it was not paid and never will be; needs --reason'),
    notPaid: switchFlag('not paid, and may be paid again; needs --reason'),
    reversed: switchFlag('the payer took it back; needs --ref'),
    accepted: switchFlag('accept what the service shows; needs --reason'),
    ref: textFlag('TEXT', "the payer's receipt"),
    reason: textFlag('TEXT', 'the evidence or reason'),
  }),
  ...groupFlags('Payer', {
    payerIdempotent: {
      ...payerIdempotent,
      help: 'as for rewards settle; with it, unpaid rewards keep their key, otherwise they get a new one',
    },
    payerReplaysResponse,
    payerLookupDelay,
  }),
  ...outputFlags,
  ...connectionFlags,
  ...askFlags,
  ...offlineFlags,
};

type ResolveInvocation = Invocation<typeof flags>;

export const command = defineCommand({
  argument: { term: '<ids...>', help: 'the rewards, by their ids at the service; - for standard input' },
  flags,
  examples: [
    'reviewctl ledger resolve 4711 --paid --ref 20261120-0815',
    "reviewctl ledger resolve 4711 --not-paid --reason 'not in the statement of 21 November'",
    'reviewctl ledger resolve 4711 --reversed --ref 20261127-0042',
    "reviewctl ledger list --payment unknown -o ids | reviewctl ledger resolve - --not-paid --reason 'none is in " +
      "the books' --yes",
  ],
  exitCodes: [4, 5, 6, 9, 12],
  run: async (invocation) => {
    const finding = findingOf(invocation.flags);
    const ids = [...new Set(await readIds(invocation.args, 'rewardId', invocation))];
    const opened = await useLedger(invocation);
    const { ledger } = opened;
    const run = nextRunId(invocation.context.clock.now());
    const entries = await readNamed(invocation, ledger, ids, { finding, run });
    warn(invocation, entries, finding);
    const isFinal = ['paid', 'refused', 'reversed'].includes(finding.kind);
    const question = `Record ${namedRewards(ids)} as ${words[finding.kind]}${isFinal ? ', which is final' : ''}?`;
    const judged = await Promise.all(
      entries.map(async (named) => ({
        ...named,
        why: named.entry && (await whyKept({ ledger }, named.entry, finding)),
      })),
    );
    // If nothing can change, nobody is asked. Then nothing is recorded either, even if it could change meanwhile.
    const changes = judged.filter(({ why }) => why === undefined);
    if (changes.length > 0 && !(await isChangeConfirmed(question, invocation))) return 0;
    return resolveAll(invocation, changes.length > 0 ? entries : judged, finding, { ...opened, run });
  },
});

/** Maximum ids listed in a message. */
const namedMaximum = 10;

const words = {
  paid: 'paid',
  refused: 'refused for good',
  'not-paid': 'not paid, to be paid again',
  accepted: 'settled, although the service disagrees',
  reversed: 'taken back by the payer',
} as const satisfies Record<Finding['kind'], string>;

/** @throws Failure('usage') unless exactly one finding is given, with its details. */
function findingOf(flags: ResolveInvocation['flags']): Finding {
  const { paid, refused, notPaid, reversed, accepted, ref, reason } = flags;
  if ([paid, refused, notPaid, reversed, accepted].filter(Boolean).length !== 1) {
    throw new Failure(
      'usage',
      'state the outcome: one of --paid, --refused, --not-paid, --reversed and --accepted',
      hint`ask the payer for the key that ${reviewctl`ledger list --payment unknown`} shows`,
    );
  }
  if (paid) {
    if (ref !== undefined) return { kind: 'paid', ref };
    throw new Failure('usage', '--paid needs the receipt of the payment', 'add --ref TEXT');
  }
  if (reversed) {
    if (ref !== undefined) return { kind: 'reversed', ref, ...(reason === undefined ? {} : { reason }) };
    throw new Failure('usage', '--reversed needs the receipt of the reversal', 'add --ref TEXT');
  }
  if (reason !== undefined) {
    return { kind: refused ? 'refused' : accepted ? 'accepted' : 'not-paid', reason };
  }
  throw new Failure(
    'usage',
    'the outcome needs a reason',
    "add --reason 'TEXT': it is stored with the reward",
  );
}

/** A reward of the arguments with its ledger entry; if the ledger has none, with the reward as the service shows it. */
interface Named {
  readonly rewardId: string;
  readonly entry: LedgerEntry | undefined;
  readonly shown?: ObservedReward | undefined;
  /** The reason why nothing can change about it; set only if no reward can change. */
  readonly why?: string | undefined;
}

/**
 * Reads the rewards. One may be recorded as paid before any run has seen it: only such rewards are requested from the
 * service, so that the others need no service.
 * @throws Failure('not-found') for one that neither has; then none is resolved. As `useService`.
 */
async function readNamed(
  invocation: ResolveInvocation,
  ledger: Ledger,
  ids: readonly string[],
  { finding, run }: { readonly finding: Finding; readonly run: string },
): Promise<readonly Named[]> {
  const named: Named[] = [];
  for (const rewardId of ids) {
    const entry =
      finding.kind === 'paid' ? await ledger.find(rewardId) : await requireEntry(ledger, rewardId);
    named.push({ rewardId, entry });
  }
  const unseen = named.flatMap(({ rewardId, entry }) => (entry === undefined ? [rewardId] : []));
  if (unseen.length === 0) return named;
  const { service } = await useRewards(invocation, run);
  const shown = await findUnseen(service, unseen, invocation.context.stopping);
  const missing = unseen.filter((rewardId) => !shown.has(rewardId));
  if (missing.length > 0) throw notShown(missing);
  return named.map(({ rewardId, entry }) => ({ rewardId, entry, shown: shown.get(rewardId) }));
}

function notShown(missing: readonly string[]): Failure {
  const names = firstOf(missing.map((rewardId) => `'${rewardId}'`));
  return new Failure(
    'not-found',
    `neither the ledger nor the service has a reward ${names}; nothing was recorded`,
    hint`ids are those listed by ${reviewctl`rewards list -o ids`}`,
  );
}

function firstOf(names: readonly string[]): string {
  return [...names.slice(0, namedMaximum), ...(names.length > namedMaximum ? ['…'] : [])].join(', ');
}

function namedRewards(ids: readonly string[]): string {
  const [only = ''] = ids;
  return ids.length === 1 ? `reward ${only}` : counted(ids.length, 'reward');
}

/** Warns about aspects that a person may have missed. */
function warn(
  { context, flags, notices }: ResolveInvocation,
  named: readonly Named[],
  finding: Finding,
): void {
  const entries = named.flatMap(({ entry }) => (entry === undefined ? [] : [entry]));
  if (finding.kind === 'paid') {
    const unseen = named.filter(({ entry }) => entry === undefined);
    if (unseen.length === 0) return;
    const ids = firstOf(unseen.map(({ rewardId }) => rewardId));
    notices.warning(
      `the ledger does not contain ${counted(unseen.length, 'reward')} yet: ${ids}`,
      hint`once recorded as paid, they are never paid; check that they are the right ones:
        ${reviewctl`rewards get ID`}`,
    );
    return;
  }
  if (finding.kind === 'accepted' || finding.kind === 'reversed') return;
  const nowMs = context.clock.now();
  const recent = entries.find((entry) => nowMs - leftByMs(entry, nowMs) < flags.payerLookupDelay);
  if (recent !== undefined) {
    const called = timeInWords(leftByMs(recent, nowMs), context.streams.timeZone);
    notices.warning(
      `the last call for reward ${recent.rewardId} was ${called}: the payer's records may lag`,
      'wait payer-lookup-delay before resolving',
    );
  }
  const handed = entries.find(isBatch);
  if (handed !== undefined) {
    notices.warning(
      `reward ${handed.rewardId} is in the results file of ${handed.call?.owner ?? ''}`,
      'make sure that nobody pays it from that file',
    );
  }
}

/** The latest time at which a call that may have paid can have started; minus infinity without a call. */
function leftByMs({ call, lastCallAtMs }: LedgerEntry, nowMs: number): number {
  const leaseUntilMs = call?.leaseUntilMs ?? null;
  if (leaseUntilMs !== null) return Math.min(nowMs, leaseUntilMs);
  return lastCallAtMs ?? Number.NEGATIVE_INFINITY;
}

async function resolveAll(
  invocation: ResolveInvocation,
  entries: readonly Named[],
  finding: Finding,
  { ledger, place, isOwnerAlive, run }: LedgerInUse & { readonly run: string },
): Promise<ExitCode> {
  const { argv, context, flags, notices, sources } = invocation;
  await ledger.beginRun({ run, command: argv.slice(0, 2).join(' '), atMs: context.clock.now() });
  let kept = 0;
  async function* records(): AsyncGenerator<readonly JsonObject[]> {
    for (const named of entries) {
      const resolution = await resolveOne(named);
      if (resolution.kind === 'kept') kept += 1;
      yield [resolutionRecord(named.rewardId, resolution)];
    }
  }
  const recovery = { ledger, run, isOwnerAlive, isShared: place.kind === 'postgres' };
  const resolveOne = async ({ rewardId, entry, shown, why }: Named): Promise<RewardResolution> => {
    if (why !== undefined) return { kind: 'kept', entry, why };
    if (entry !== undefined) return resolveKnown(entry);
    if (shown === undefined || finding.kind !== 'paid') throw new Error(`${rewardId} was not looked up`);
    const resolution = await resolveUnseen({ ledger, run }, shown, finding.ref);
    // A run or a webhook may have seen it since it was looked up.
    const isSeen = resolution.kind === 'kept' && resolution.entry !== undefined;
    return isSeen ? resolveKnown(resolution.entry) : resolution;
  };
  const resolveKnown = (entry: LedgerEntry): Promise<RewardResolution> => {
    const payer = recordedPayer(
      { name: entry.payer ?? 'none', ...payerPromises(flags) },
      place.callRecordsFolder,
    );
    return resolveReward({ ...recovery, payer }, entry, finding);
  };
  await printRecords(invocation, resolvedView, records());
  notices.summary(`${counted(entries.length - kept, 'reward')} recorded as ${words[finding.kind]}`);
  if (kept > 0) {
    notices.warning(
      `${counted(kept, 'reward')} unchanged, for the reason given with each`,
      reviewctl`ledger show ID`,
    );
    return 6;
  }
  if (finding.kind === 'reversed') return 0;
  const isFrozen = (await ledger.meta()).frozen !== null;
  const first = isFrozen
    ? hint`once the ledger is as it should be, ${reviewctl`ledger unfreeze`}; then `
    : '';
  const byHand =
    finding.kind === 'not-paid' ? reviewctl`rewards export FILE` : reviewctl`rewards import FILE`;
  const orByHand = findPayer({ ...sources, noun: 'rewards' }) ? '' : hint`; or, if a person pays: ${byHand}`;
  notices.info(hint`to continue: ${first}${reviewctl`rewards settle`}${orByHand}`);
  return 0;
}

function resolutionRecord(rewardId: string, resolution: RewardResolution): JsonObject {
  const { kind, entry } = resolution;
  return {
    rewardId,
    resolution: kind,
    payment: entry?.payment ?? null,
    report: entry?.report ?? null,
    key: entry?.terms?.key ?? null,
    next: kind === 'kept' ? resolution.why : resolution.next,
  };
}
