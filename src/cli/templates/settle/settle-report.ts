import { type ExitCode, Failure, strongestExitCode } from '../../../base/failure.ts';
import type { JsonObject } from '../../../base/json.ts';
import { formatMoney, type MoneyTotal } from '../../../base/money.ts';
import type { RunFacts } from '../../../output/reports/run-summary.ts';
import type { Notices } from '../../../output/terminal/notices.ts';
import { createProgress } from '../../../output/terminal/progress.ts';
import { counted, grouped, groupedMoney } from '../../../output/terminal/totals.ts';
import { checkFields } from '../../../output/views/fields.ts';
import { rewardOutcomeView } from '../../../output/views/reward-views.ts';
import type { Attention } from '../../../output/views/view.ts';
import type { PlannedReward } from '../../../settle/flow/plan-settlement.ts';
import type { LeftCause, SettledReward } from '../../../settle/flow/settle-reward.ts';
import type { RewardOutcome } from '../../../settle/flow/settlement.ts';
import { ageOf } from '../../../settle/rules/policy.ts';
import type { pushFlags } from '../../flags/sending-flags.ts';
import type { outputFlags } from '../../flags/shared-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { printAll } from '../../runtime/print.ts';
import { addReward, createAttentionSummary } from './attention-summary.ts';

/** The exit code of a reward without a decision; none if there is nothing left to do. */
const exitCodeOfCause = {
  held: undefined,
  drifted: 6,
  'not-planned': undefined,
  contradictory: 6,
  'above-cap': undefined,
  capped: 7,
  frozen: 7,
  'under-way': 9,
  'not-queued': undefined,
  vanished: 6,
  'in-doubt': 11,
  'outcome-unknown': 11,
  retry: 5,
  misconfigured: 2,
} as const satisfies Record<LeftCause, ExitCode | undefined>;

/** The words of the totals, in their order. */
const sumWords = [
  'paid',
  'to be paid',
  'refused',
  'paid before',
  'refused before',
  'held',
  'unknown',
  'waiting',
] as const;
type SumWord = (typeof sumWords)[number];
/** Number and amount of rewards by outcome. */
type Sums = ReadonlyMap<SumWord, MoneyTotal>;

type ReportFlags = typeof outputFlags & Pick<typeof pushFlags, 'progress'>;

interface SettleReportOptions {
  /** True if a reward held by policy, or a batch of a person, makes the run end with 6. */
  readonly isHeldFailure: boolean;
  /** A payment may be unknown for this long before the run ends with 11; by default not at all. */
  readonly toleratedUnknownMs?: number | undefined;
  /** The start of the last line: the subject of the sums. */
  readonly heading: string;
  /** Stops before the next reward; payments in progress are completed. */
  readonly stop: () => void;
}

/**
 * Prints the outcome of each reward once it is certain, then the sums, then the failure that ended the run early, if
 * any.
 * @throws Failure('usage') for an unknown field, before the first reward is read; after the sums, an error that is not
 * a Failure.
 */
export async function reportSettlement(
  invocation: Invocation<ReportFlags>,
  rewards: AsyncIterable<PlannedReward>,
  { isHeldFailure, toleratedUnknownMs = 0, heading, stop }: SettleReportOptions,
): Promise<ExitCode> {
  const { context, flags, notices, summary } = invocation;
  checkFields(flags.fields, rewardOutcomeView);
  const { streams, stopping, clock } = context;
  const isYoung = ({ inDoubtSinceMs }: PlannedReward) =>
    inDoubtSinceMs !== undefined && ageOf(inDoubtSinceMs, clock.now()) < toleratedUnknownMs;
  const sums = new Map<SumWord, MoneyTotal>();
  const left = createAttentionSummary(clock, isHeldFailure);
  const codes = new Set<ExitCode>();
  const progress = createProgress(streams, flags.progress, clock);
  const attention = new WeakMap<JsonObject, Attention>();
  const view = { ...rewardOutcomeView, attention: (record: JsonObject) => attention.get(record) ?? 'change' };
  let done = 0;
  async function* records(): AsyncGenerator<readonly JsonObject[]> {
    for await (const reward of rewards) {
      addReward(sums, wordOf(reward), reward.outcome);
      left.note(reward);
      for (const code of exitCodesOf(reward, { isHeldFailure, isYoung: isYoung(reward) })) codes.add(code);
      done += 1;
      progress.update({ label: 'settling rewards', done, counts: countsOf(sums) });
      const record = recordOf(reward, notices) as RewardOutcome & JsonObject;
      attention.set(record, attentionOf(reward));
      yield [record];
    }
  }
  let failure: unknown;
  try {
    const { unlisted } = await printAll(invocation, view, records(), { stop });
    if (unlisted > 0) notices.info(`${counted(unlisted, 'reward')} not listed: they wait for a later run`);
  } catch (error) {
    if (!stopping.aborted || error !== stopping.reason) failure = error;
  }
  progress.done();
  summary.note(numbersOf(sums));
  if (failure === undefined || sums.size > 0) notices.summary(`${heading}${sumsInWords(sums)}`);
  left.show(notices);
  if (stopping.aborted) {
    notices.warning('interrupted: no payment is in progress', 'the next run continues with the rest');
  }
  if (failure instanceof Failure) {
    notices.error(failure);
    codes.add(failure.exitCode);
  } else if (failure !== undefined) throw failure;
  return strongestExitCode(codes);
}

function recordOf({ outcome, remedy }: PlannedReward, { complete }: Notices): RewardOutcome {
  const { reason } = outcome;
  return remedy === undefined ? outcome : { ...outcome, reason: `${reason}; ${complete(remedy)}` };
}

function wordOf({ outcome: { outcome }, isEarlier, payment }: PlannedReward): SumWord {
  if (payment !== undefined) return 'to be paid';
  return isEarlier && (outcome === 'paid' || outcome === 'refused') ? `${outcome} before` : outcome;
}

/** Causes that the next run resolves. */
const causesOfNextRun: ReadonlySet<LeftCause> = new Set<LeftCause>([
  ...(['capped', 'frozen', 'not-planned', 'not-queued', 'under-way', 'retry'] as const),
]);

/** The attention that a reward needs: it was paid or decided, needs a person, or waits for the next run. */
function attentionOf(reward: PlannedReward): Attention {
  const { outcome, cause, isEarlier, payment, sameReceiptAs, trouble } = reward;
  if (outcome.outcome === 'unknown' || outcome.report === 'conflict') return 'person';
  if (sameReceiptAs !== undefined) return 'person';
  if (payment !== undefined) return 'change';
  if (cause !== undefined) return causesOfNextRun.has(cause) ? 'none' : 'person';
  if (outcome.outcome === 'held' || trouble !== undefined) return 'person';
  if (outcome.outcome === 'refused') return isEarlier ? 'change' : 'person';
  return outcome.outcome === 'paid' ? 'change' : 'none';
}

function exitCodesOf(
  { outcome, isEarlier, cause, batch, trouble }: SettledReward,
  { isHeldFailure, isYoung }: { readonly isHeldFailure: boolean; readonly isYoung: boolean },
): ExitCode[] {
  const code = cause === undefined ? undefined : exitCodeOfCause[cause];
  const isHeld = outcome.outcome === 'held' || batch !== undefined;
  const isRefused = outcome.outcome === 'refused' && !isEarlier;
  const codes: readonly (ExitCode | undefined)[] = [
    code,
    outcome.outcome === 'unknown' ? 11 : undefined,
    isRefused || outcome.report === 'conflict' || (isHeld && isHeldFailure) ? 6 : undefined,
    trouble?.exitCode,
  ];
  return codes.filter((one) => one !== undefined).filter((one) => !(isYoung && one === 11));
}

function countsOf(sums: Sums): Readonly<Record<string, number>> {
  return Object.fromEntries([...sums].map(([word, { count }]) => [word, count]));
}

/** Every sum, including zeros: a metric that disappears looks like a failing monitor. */
function numbersOf(sums: Sums): Required<Pick<RunFacts, 'counts' | 'amounts'>> {
  const words = sumWords.filter((word) => word !== 'to be paid');
  return {
    counts: Object.fromEntries(words.map((word) => [word, sums.get(word)?.count ?? 0])),
    amounts: Object.fromEntries(words.map((word) => [word, formatMoney(sums.get(word)?.amount ?? 0n)])),
  };
}

/** `12 rewards: 10 paid (12,000), 2 held (500)`. */
function sumsInWords(sums: Sums): string {
  const parts = sumWords.flatMap((word) => {
    const sum = sums.get(word);
    return sum === undefined ? [] : [`${grouped(sum.count)} ${word} (${groupedMoney(sum.amount)})`];
  });
  const total = [...sums.values()].reduce((count, sum) => count + sum.count, 0);
  return parts.length === 0 ? 'no rewards to settle' : `${counted(total, 'reward')}: ${parts.join(', ')}`;
}
