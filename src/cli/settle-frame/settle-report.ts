import { type ExitCode, Failure, strongestExitCode } from '../../base/failure.ts';
import type { JsonObject } from '../../base/json.ts';
import { type Money, moneyOfJson } from '../../base/money.ts';
import { checkFields } from '../../output/fields.ts';
import { createProgress } from '../../output/progress.ts';
import { rewardOutcomeView } from '../../output/reward-views.ts';
import { counted, groupedMoney } from '../../output/totals.ts';
import type { UnpaidCause } from '../../settle/pay-reward.ts';
import type { PlannedReward } from '../../settle/plan-settlement.ts';
import type { SettledReward } from '../../settle/settle-reward.ts';
import type { RewardOutcome } from '../../settle/settlement.ts';
import type { Invocation } from '../command.ts';
import type { outputFlags, pushFlags } from '../flags/shared-flags.ts';
import { writeToTheEnd } from '../write-to-the-end.ts';

/** The exit code that a reward without decision stands for; none where nothing is left to do. */
const exitCodeOfCause = {
  held: undefined,
  capped: 7,
  frozen: 7,
  'under-way': 9,
  'not-queued': undefined,
  'in-doubt': 11,
  lost: 11,
  retry: 5,
  misconfigured: 2,
} as const satisfies Record<UnpaidCause, ExitCode | undefined>;

/** What became of one reward, or what would. */
export type ReportedReward = SettledReward & Partial<Pick<PlannedReward, 'isToBePaid'>>;

/** The words of the totals, in their order. */
const sumWords = [
  'paid',
  'to be paid',
  'refused',
  'paid before',
  'refused before',
  'held',
  'unknown',
  'open',
] as const;
type SumWord = (typeof sumWords)[number];
type Sums = ReadonlyMap<SumWord, Sum>;

/** How many rewards had one outcome, and how much that is. */
interface Sum {
  readonly count: number;
  readonly amount: Money;
}

type ReportFlags = typeof outputFlags & Pick<typeof pushFlags, 'progress'>;

export interface SettleReportOptions {
  /** Whether a reward held by policy makes the run end with 6. */
  readonly isHeldFailure: boolean;
  /** Begins the last line: what the sums are of. */
  readonly heading: string;
  /** Takes no new reward from here on; what is under way is finished. */
  readonly stop: () => void;
}

/**
 * Prints what became of each reward as it is certain, then the sums, then what ended the run early, if anything did.
 * @throws Failure('usage') for an unknown field, before the first reward is asked for.
 */
export async function reportSettlement(
  { context, flags, notices }: Invocation<ReportFlags>,
  settled: AsyncIterable<ReportedReward>,
  { isHeldFailure, heading, stop }: SettleReportOptions,
): Promise<ExitCode> {
  checkFields(flags.fields, rewardOutcomeView);
  const { streams, stopping, clock } = context;
  const sums = new Map<SumWord, Sum>();
  const left = new Map<Left, Leaving>();
  const codes = new Set<ExitCode>();
  const progress = createProgress(streams, flags.progress, clock);
  let done = 0;
  async function* records(): AsyncGenerator<readonly JsonObject[]> {
    for await (const reward of settled) {
      add(sums, reward);
      noteLeft(left, reward);
      for (const code of exitCodesOf(reward, isHeldFailure)) codes.add(code);
      done += 1;
      progress.update({ label: 'settling rewards', done, counts: countsOf(sums) });
      yield [reward.outcome as RewardOutcome & JsonObject];
    }
  }
  let failure: Failure | undefined;
  try {
    const options = { ...flags, format: flags.output, clock };
    await writeToTheEnd(records(), rewardOutcomeView, options, { streams, stop });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    failure = error;
  } finally {
    progress.done();
  }
  if (failure === undefined || sums.size > 0) notices.summary(`${heading}${sumsInWords(sums)}`);
  tellWhatIsLeft(left, notices);
  if (stopping.aborted) {
    notices.warning('interrupted: no payment is under way', 'the next run goes on with what is left');
  }
  if (failure !== undefined) {
    notices.error(failure);
    codes.add(failure.exitCode);
  }
  if (stopping.reason instanceof Failure) codes.add(stopping.reason.exitCode);
  return strongestExitCode(codes);
}

function add(sums: Map<SumWord, Sum>, reward: ReportedReward): void {
  const word = wordOf(reward);
  const { count, amount } = sums.get(word) ?? { count: 0, amount: 0n };
  sums.set(word, { count: count + 1, amount: amount + moneyOfJson(reward.outcome.amount ?? 0) });
}

function wordOf({ outcome: { outcome }, isToBePaid, isEarlier }: ReportedReward): SumWord {
  if (isToBePaid) return 'to be paid';
  return isEarlier && (outcome === 'paid' || outcome === 'refused') ? `${outcome} before` : outcome;
}

function exitCodesOf(
  { outcome, isEarlier, cause, trouble }: SettledReward,
  isHeldFailure: boolean,
): ExitCode[] {
  const code = cause === undefined ? undefined : exitCodeOfCause[cause];
  return [
    ...(code === undefined ? [] : [code]),
    ...(outcome.outcome === 'unknown' ? ([11] as const) : []),
    ...((outcome.outcome === 'refused' && !isEarlier) || outcome.told === 'conflict' ? ([6] as const) : []),
    ...(outcome.outcome === 'held' && isHeldFailure ? ([6] as const) : []),
    ...(trouble === undefined ? [] : [trouble.exitCode]),
  ];
}

function countsOf(sums: Sums): Readonly<Record<string, number>> {
  return Object.fromEntries([...sums].map(([word, { count }]) => [word, count]));
}

/** `12 rewards: 10 paid (12,000), 2 held (500)`. */
function sumsInWords(sums: Sums): string {
  const parts = sumWords.flatMap((word) => {
    const sum = sums.get(word);
    return sum === undefined ? [] : [`${sum.count} ${word} (${groupedMoney(sum.amount)})`];
  });
  const total = [...sums.values()].reduce((count, sum) => count + sum.count, 0);
  return parts.length === 0 ? 'no rewards to settle' : `${counted(total, 'reward')}: ${parts.join(', ')}`;
}

/** What a person may have to do something about. */
type Left = 'unknown' | 'conflict' | 'refused' | 'capped' | 'under-way' | 'retry' | 'misconfigured';

/** How many rewards are left so, and why the first of them is. */
interface Leaving {
  readonly count: number;
  readonly reason: string;
}

function noteLeft(left: Map<Left, Leaving>, { outcome, cause, isEarlier }: ReportedReward): void {
  const kinds: readonly Left[] = [
    ...(outcome.outcome === 'unknown' ? (['unknown'] as const) : []),
    ...(outcome.told === 'conflict' ? (['conflict'] as const) : []),
    ...(outcome.outcome === 'refused' && !isEarlier ? (['refused'] as const) : []),
    ...(cause === 'capped' && outcome.outcome !== 'unknown' ? [cause] : []),
    ...(cause === 'under-way' || cause === 'retry' || cause === 'misconfigured' ? [cause] : []),
  ];
  for (const kind of kinds) {
    const { count, reason } = left.get(kind) ?? { count: 0, reason: outcome.reason ?? '' };
    left.set(kind, { count: count + 1, reason });
  }
}

/** What is told of each, and the next command. */
const leftWords = {
  unknown: [
    'may or may not be paid',
    'see what to ask the payer: reviewctl ledger list --pay unknown; then say what you found: reviewctl ledger resolve ID --paid --ref R, or --not-paid --reason …',
  ],
  conflict: [
    'where the service says otherwise than the ledger',
    'see them: reviewctl ledger list --told conflict; once that is as it should be: reviewctl ledger resolve ID --accepted --reason …',
  ],
  refused: ['refused by the payer, and cancelled for good', 'see why: reviewctl ledger list --pay refused'],
  capped: ['without room under a cap', 'the next run goes on, or this one with a higher cap'],
  'under-way': ['that another process is paying', 'the next run sees what came of them'],
  retry: ['that the payer did not take now', 'the next run tries them again'],
  misconfigured: [
    'for which the payer rejected our credentials or endpoint; none was cancelled',
    'see what it says of them: reviewctl payer check',
  ],
} as const satisfies Record<Left, readonly [what: string, hint: string]>;

function tellWhatIsLeft(
  left: ReadonlyMap<Left, Leaving>,
  notices: Invocation<typeof outputFlags>['notices'],
): void {
  for (const [kind, { count, reason }] of left) {
    const [what, hint] = leftWords[kind];
    const first = reason === '' ? '' : `; ${count === 1 ? '' : 'the first: '}${reason}`;
    notices.warning(`${counted(count, 'reward')} ${what}${first}`, hint);
  }
}
