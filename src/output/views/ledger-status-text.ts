import { type Hint, type HintText, hint, reviewctl } from '../../base/hint.ts';
import { type JsonMoney, type Money, moneyOfJson } from '../../base/money.ts';
import type { LedgerStatus } from '../../settle/manual/ledger-status.ts';
import { koreanDay } from '../../settle/rules/policy.ts';
import { hangingLines } from '../terminal/display-width.ts';
import type { Streams } from '../terminal/streams.ts';
import { counted, grouped, groupedMoney } from '../terminal/totals.ts';
import { ageInWords } from './duration-in-words.ts';
import { shownTime } from './shown-time.ts';

/** The context of a status, and how it is shown. */
interface StatusOptions {
  readonly path: string;
  /** The cap of a day, if a flag sets one. */
  readonly cap: Money | undefined;
  readonly streams: Pick<Streams, 'columns' | 'timeZone'>;
  /** The text of a next command. */
  readonly complete: (command: HintText) => string;
}

type State = LedgerStatus['states'][number];

/** The status of a ledger as lines for people, the next commands last. */
export function ledgerStatusLines(status: LedgerStatus, options: StatusOptions): readonly string[] {
  const { shop, origin, frozen, restoration, reversed, createdAt, today, events } = status;
  const when = (time: string) => shownTime(time, options.streams);
  const lines = [
    line('ledger', `${options.path}, ${counted(events, 'event')}`),
    line('shop', `${shop} at ${origin}, created ${koreanDay(Date.parse(createdAt))}`),
    line('frozen', frozen ?? 'no'),
    ...(restoration === null ? [] : [line('restored', restorationInWords(restoration, when))]),
    ...stateLines(status, when),
    ...(reversed.count === 0 ? [] : [line('reversed', `${sumInWords(reversed)} taken back by the payer`)]),
    line('today', budgetInWords(today, options.cap)),
    ...status.batches.map((batch) => line('batch', `${batch.batch}: ${sumInWords(batch)} not imported yet`)),
    ...goneLines(status),
    ...ledgerNextSteps(status).map((command, index) =>
      line(index === 0 ? 'next' : '', options.complete(command)),
    ),
  ];
  return lines.flatMap((text) =>
    hangingLines(text.slice(0, nameWidth), text.slice(nameWidth), options.streams.columns),
  );
}

const nameWidth = 10;

function line(name: string, text: string): string {
  return `${name.padEnd(nameWidth)}${text}`;
}

function restorationInWords(
  { acceptedAt, comparedAt }: NonNullable<LedgerStatus['restoration']>,
  when: (time: string) => string,
): string {
  const accepted = acceptedAt === null ? 'not accepted' : `accepted ${when(acceptedAt)}`;
  const compared = comparedAt === null ? 'not compared' : `compared ${when(comparedAt)}`;
  return `${accepted}, ${compared} with a statement of the payer`;
}

function stateLines({ states, oldestUnknown }: LedgerStatus, when: (time: string) => string): string[] {
  const words = ['paid', 'refused', 'unknown', 'paying', 'intended'] as const;
  return words.flatMap((payment) => {
    const ofState = states.filter((state) => state.payment === payment);
    if (ofState.length === 0) return [];
    const isDecided = payment === 'paid' || payment === 'refused';
    const parts = isDecided
      ? `: ${ofState.map(({ report, count }) => `${grouped(count)} ${report}`).join(', ')}`
      : '';
    const meaning = payment === 'intended' ? ': not paid yet, or held by policy' : '';
    const oldest =
      payment === 'unknown' && oldestUnknown !== null
        ? `, the oldest ${oldestUnknown.rewardId}, ${unknownFor(oldestUnknown, when)}`
        : '';
    return [line(payment, `${sumInWords(total(ofState))}${parts}${meaning}${oldest}`)];
  });
}

function unknownFor(
  oldest: NonNullable<LedgerStatus['oldestUnknown']>,
  when: (time: string) => string,
): string {
  const { since, lastCallAt } = oldest;
  const again = lastCallAt === null || lastCallAt === since ? '' : `, last call in doubt ${when(lastCallAt)}`;
  return `unknown for ${ageInWords(oldest)}${again}`;
}

function total(states: readonly State[]) {
  return {
    count: states.reduce((sum, { count }) => sum + count, 0),
    amount: states.reduce((sum, { amount }) => sum + moneyOfJson(amount), 0n),
  };
}

function sumInWords({
  count,
  amount,
}: {
  readonly count: number;
  readonly amount: JsonMoney | Money;
}): string {
  const money = typeof amount === 'bigint' ? amount : moneyOfJson(amount);
  return `${counted(count, 'reward')} (${groupedMoney(money)})`;
}

function budgetInWords({ day, spent, reserved }: LedgerStatus['today'], cap: Money | undefined): string {
  const money = (amount: JsonMoney) => groupedMoney(moneyOfJson(amount));
  const of = cap === undefined ? '' : ` of ${groupedMoney(cap)}`;
  return `${money(spent.amount)} spent, ${money(reserved.amount)} reserved${of}, Korean day ${day}`;
}

function goneLines({ unpaidNotQueued: gone }: LedgerStatus): string[] {
  if (gone.count === 0) return [];
  const rest = gone.count > gone.rewardIds.length ? ', …' : '';
  return [
    line('look at', `${sumInWords(gone)} unpaid and no longer QUEUED: ${gone.rewardIds.join(', ')}${rest}`),
  ];
}

/** The next steps for a person. */
export function ledgerNextSteps({
  frozen,
  restoration,
  oldestUnknown,
  states,
  batches,
  unpaidNotQueued,
}: LedgerStatus): Hint[] {
  const hasConflict = states.some(({ report }) => report === 'conflict');
  return [
    ...(states.length === 0 ? [hint`to see what would be paid: ${reviewctl`rewards settle --dry-run`}`] : []),
    ...(oldestUnknown === null ? [] : [reviewctl`ledger list --payment unknown`]),
    ...(hasConflict ? [reviewctl`ledger list --report conflict`] : []),
    ...(unpaidNotQueued.count > 0
      ? [
          reviewctl`ledger reconcile`,
          hint`${reviewctl`ledger resolve ID --refused --reason …`}, if nothing is owed; else have it queued again`,
        ]
      : []),
    ...batches.map(({ batch }) => hint`${reviewctl`rewards import FILE`}, with the outcomes of ${batch}`),
    ...(restoration?.acceptedAt === null ? [reviewctl`ledger accept`] : []),
    ...(restoration?.comparedAt === null
      ? [reviewctl`ledger reconcile --payer-statement FILE --statement-end now`]
      : frozen === null
        ? []
        : [hint`${reviewctl`ledger unfreeze`}, once the reason no longer applies`]),
  ];
}
