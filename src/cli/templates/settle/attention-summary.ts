import type { Clock } from '../../../base/clock.ts';
import { type HintText, hint, reviewctl } from '../../../base/hint.ts';
import { type MoneyTotal, moneyOfJson, noMoney, plus } from '../../../base/money.ts';
import type { Notices } from '../../../output/terminal/notices.ts';
import { counted, groupedMoney } from '../../../output/terminal/totals.ts';
import { durationInWords } from '../../../output/views/duration-in-words.ts';
import type { SettledReward } from '../../../settle/flow/settle-reward.ts';
import { ageOf } from '../../../settle/rules/policy.ts';

/** The number of rewards left for one cause, and the reason of the first. */
interface Leaving {
  readonly count: number;
  readonly reason: string;
}

/** The causes that may need a person, each with its message and the next command. */
const attentionWords = {
  unknown: [
    'may or may not be paid',
    hint`to see what to ask the payer: ${reviewctl`ledger list --payment unknown`}; then record the result:
      ${reviewctl`ledger resolve ID --paid --ref R`}, or --not-paid --reason …`,
  ],
  conflict: [
    'for which the service disagrees with the ledger',
    hint`to list them: ${reviewctl`ledger reconcile`}; to accept one:
      ${reviewctl`ledger resolve ID --accepted --reason …`}`,
  ],
  contradictory: [
    'not paid, because the service lists them more than once with different terms',
    hint`to list them: ${reviewctl`rewards list --status QUEUED`}; the next run pays them once the operator of the
      service has corrected them`,
  ],
  vanished: [
    'waiting here, but not QUEUED at the service',
    hint`ask the operator of the service to queue them again; if one was paid elsewhere:
      ${reviewctl`ledger resolve ID --paid --ref R`}; if nothing is owed:
      ${reviewctl`ledger resolve ID --refused --reason …`}; until then, ${reviewctl`ledger status`} lists them`,
  ],
  drifted: [
    'changed since the plan, and not paid by it',
    hint`to plan and review the remaining rewards: ${reviewctl`rewards settle --plan-out FILE`}`,
  ],
  refused: [
    'refused by the payer and cancelled permanently',
    hint`to see why: ${reviewctl`ledger list --payment refused`}`,
  ],
  held: [
    'held, which fail-on-held counts as a failure',
    hint`to see each: ${reviewctl`rewards settle --dry-run`}`,
  ],
  capped: ['skipped because of a cap', 'the next run continues, or this command with a higher cap'],
  'under-way': ['whose payment is still in progress', 'the next run reads their outcome'],
  retry: ['that the payer postponed', 'the next run tries them again'],
  misconfigured: [
    'for which the payer rejected our credentials or endpoint; none was cancelled',
    hint`to see its answer: ${reviewctl`payer check --member MEMBER`}`,
  ],
  unreported: ['whose outcome the service may not know yet', 'the next run reports it'],
} as const satisfies Readonly<Record<string, readonly [what: string, remedy: HintText]>>;

type Left = keyof typeof attentionWords;

/** Collects the rewards that a settlement leaves to a person, for the end of its report. */
interface AttentionSummary {
  note(reward: SettledReward): void;
  show(notices: Notices): void;
}

/** Adds a reward to one of several totals. */
export function addReward<Name>(
  totals: Map<Name, MoneyTotal>,
  name: Name,
  { amount }: SettledReward['outcome'],
): void {
  totals.set(name, plus(totals.get(name) ?? noMoney, moneyOfJson(amount ?? 0)));
}

/** `clock` gives the age of payments with an unknown outcome. Held rewards are reported if they end the run with 6. */
export function createAttentionSummary(clock: Clock, isHeldFailure: boolean): AttentionSummary {
  const left = new Map<Left, Leaving>();
  const batches = new Map<string, MoneyTotal>();
  let oldestMs = Number.POSITIVE_INFINITY;
  const receipts = createSameReceipts();
  return {
    note: (reward) => {
      const { outcome, batch, inDoubtSinceMs = Number.POSITIVE_INFINITY } = reward;
      receipts.note(reward);
      oldestMs = Math.min(oldestMs, inDoubtSinceMs);
      for (const kind of kindsOf(reward)) {
        if (kind === 'held' && !isHeldFailure) continue;
        const { count, reason } = left.get(kind) ?? { count: 0, reason: whyLeft(kind, reward) };
        left.set(kind, { count: count + 1, reason });
      }
      if (batch !== undefined) addReward(batches, batch, outcome);
    },
    show: (notices) => {
      for (const [kind, { count, reason }] of left) {
        const [what, remedy] = attentionWords[kind];
        const isAged = kind === 'unknown' && oldestMs !== Number.POSITIVE_INFINITY;
        const age = isAged ? `, the oldest for ${durationInWords(ageOf(oldestMs, clock.now()))}` : '';
        const first = reason === '' ? '' : `; ${count === 1 ? '' : 'the first: '}${reason}`;
        notices.warning(`${counted(count, 'reward')} ${what}${age}${first}`, remedy);
      }
      receipts.show(notices);
      for (const [batch, { count, amount }] of batches) {
        notices.warning(
          `${counted(count, 'reward')} (${groupedMoney(amount)}) out in ${batch}, a file whose outcomes are not ` +
            'imported yet',
          hint`once they are filled in: ${reviewctl`rewards import FILE`}`,
        );
      }
    },
  };
}

const alwaysLeft = [
  ...(['under-way', 'retry', 'misconfigured'] as const),
  ...(['contradictory', 'vanished', 'drifted'] as const),
];

/** The reason why a reward is left. A vanished reward is in no list of the service, so its id is included. */
function whyLeft(kind: Left, { outcome: { rewardId, reason = '' }, trouble }: SettledReward): string {
  if (kind === 'unreported') return trouble?.message ?? '';
  return kind === 'vanished' ? `${rewardId} (${reason})` : reason;
}

/** Collects payments that share the receipt of an earlier payment. */
function createSameReceipts(): AttentionSummary {
  let count = 0;
  let first: { readonly words: string; readonly rewardId: string } | undefined;
  return {
    note: ({ outcome: { rewardId }, sameReceiptAs }) => {
      if (sameReceiptAs === undefined) return;
      const { ref, rewardId: other } = sameReceiptAs;
      count += 1;
      first ??= { words: `reward ${rewardId} has ${ref}, like reward ${other}`, rewardId };
    },
    show: (notices) => {
      if (first === undefined) return;
      const [has, which] = count === 1 ? ['has', ''] : ['have', 'the first: '];
      notices.warning(
        `${counted(count, 'reward')} ${has} the receipt of an earlier payment; ${which}${first.words}`,
        reviewctl`ledger show ${first.rewardId}`,
      );
    },
  };
}

function kindsOf({ outcome, cause, isEarlier, trouble }: SettledReward): readonly Left[] {
  const kinds = [
    outcome.outcome === 'unknown' && 'unknown',
    outcome.report === 'conflict' && 'conflict',
    outcome.outcome === 'refused' && !isEarlier && 'refused',
    outcome.outcome === 'held' && (cause === 'held' || cause === 'above-cap') && 'held',
    cause === 'capped' && outcome.outcome !== 'unknown' && cause,
    alwaysLeft.find((kind) => kind === cause) ?? false,
    trouble !== undefined && 'unreported',
  ] as const;
  return kinds.filter((kind) => kind !== false);
}
