import { formatMoney, type Money, type MoneyTotal, noMoney, plus } from '../../base/money.ts';
import type { LedgerMonth, WaitingReason } from '../../settle/manual/ledger-month.ts';
import { grouped, groupedMoney } from '../terminal/totals.ts';
import { durationInWords } from '../views/duration-in-words.ts';
import { chartFigure } from './chart.ts';
import { type Cell, dataTable, foldedTable } from './data-table.ts';
import type { Html } from './html.ts';
import { type KeyFigure, nextSection, type Page, section } from './page.ts';

/** The data of a ledger report. */
export interface LedgerReport {
  /** `2026-11`. */
  readonly month: string;
  readonly shop: string;
  readonly origin: string;
  readonly figures: LedgerMonth;
  /** True if no settlement has read a reward yet. */
  readonly isEmpty: boolean;
  /** The reason why payments are blocked; undefined while they are not. */
  readonly frozen: string | undefined;
  /** The cap of a day, if one is set. */
  readonly cap: Money | undefined;
  readonly withIds: boolean;
  readonly next: readonly string[];
  readonly footer: string;
}

/** Maximum rewards listed in each table. */
const namedRewards = 500;

/** The page about one month of a ledger. */
export function ledgerPage(report: LedgerReport): Page {
  const { month, shop, origin, figures, isEmpty, frozen, cap, withIds, next, footer } = report;
  const { days, waiting, unknown } = figures;
  const paid = sumOf(days.map((day) => day.paid));
  const refused = sumOf(days.map((day) => day.refused));
  const reversed = sumOf(days.map((day) => day.reversed));
  const held = totalOf(waiting.filter(({ reason }) => reason !== 'next-run'));
  const open = totalOf(unknown);
  return {
    kind: 'Ledger report',
    title: `Rewards of ${month}`,
    lead: `Shop ${shop} at ${origin}; Korean days.${frozen === undefined ? '' : ` Payments are blocked: ${frozen}`}`,
    figures: [
      totalFigure('Paid', paid, 'good'),
      ...(reversed.count === 0 ? [] : [totalFigure('Taken back', reversed)]),
      totalFigure('Refused', refused),
      totalFigure('Held now', held, held.count === 0 ? undefined : 'warn'),
      totalFigure('Unknown now', open, open.count === 0 ? undefined : 'odd'),
    ],
    sections: [
      section('Paid by day', unknownNote(days), paidFigure(days)),
      capSection(days, cap),
      isEmpty
        ? section(waitingTitle, 'Not known yet: no settlement has read the rewards.')
        : waitingSection(waiting, withIds),
      unknownSection(unknown, withIds),
      nextSection(next),
    ],
    footer,
  };
}

/** An amount that is unknown on one day may be paid on another. */
function unknownNote(days: LedgerMonth['days']): string | undefined {
  return days.some(({ becameUnknown }) => becameUnknown.count > 0)
    ? 'An unknown amount counts on the day its outcome became unknown, even if it is known by now.'
    : undefined;
}

function totalFigure(name: string, { count, amount }: MoneyTotal, tone?: KeyFigure['tone']): KeyFigure {
  const note = `${grouped(count)} ${count === 1 ? 'reward' : 'rewards'}`;
  return { name, value: groupedMoney(amount), note, tone };
}

function sumOf(totals: readonly MoneyTotal[]): MoneyTotal {
  return totals.reduce(
    (sum, { count, amount }) => ({ count: sum.count + count, amount: sum.amount + amount }),
    noMoney,
  );
}

function totalOf(rewards: readonly { readonly amount: Money }[]): MoneyTotal {
  return rewards.reduce((total: MoneyTotal, { amount }) => plus(total, amount), noMoney);
}

function money(amount: Money): Cell {
  return { text: groupedMoney(amount), value: Number(formatMoney(amount)) };
}

function paidFigure(days: LedgerMonth['days']): Html {
  const series = [
    { header: 'paid', tone: 'good', key: 'paid' },
    { header: 'refused', tone: 'warn', key: 'refused' },
    { header: 'unknown', tone: 'odd', key: 'becameUnknown' },
    { header: 'taken back', tone: 'accent', key: 'reversed' },
  ] as const;
  const shown = series.filter(({ key }) => key === 'paid' || days.some((day) => day[key].count > 0));
  return chartFigure({
    ...byDay('Amounts by day', days),
    columns: [
      { header: 'rewards', cells: days.map(({ paid }) => paid.count) },
      ...shown.map(({ header, tone, key }) => ({
        header,
        tone,
        cells: days.map((day) => money(day[key].amount)),
      })),
    ],
    inWords: valueInWords,
  });
}

function byDay(title: string, days: LedgerMonth['days']) {
  const labels = days.map(({ day }) => day.slice('2026-'.length));
  return { kind: 'columns', title, of: 'Day', labels } as const;
}

/** Long numbers on the axis would take the chart's space. */
function valueInWords(value: number): string {
  if (value >= 10_000_000) return `${Number((value / 1_000_000).toFixed(1))} M`;
  return Number.isInteger(value) ? grouped(value) : String(Number(value.toFixed(2)));
}

function capSection(days: LedgerMonth['days'], cap: Money | undefined): Html {
  const heading = 'Cap of a day';
  if (cap === undefined || cap === 0n) {
    return section(heading, 'No cap is set for this profile: the setting max-amount-per-day sets one.');
  }
  const shares = days.map(({ spent, reserved }) => Number((10_000n * (spent + reserved)) / cap) / 10_000);
  const figure = chartFigure({
    ...byDay('Use of the cap by day', days),
    columns: [
      { header: 'spent', cells: days.map(({ spent }) => money(spent)) },
      { header: 'reserved', cells: days.map(({ reserved }) => money(reserved)) },
      {
        header: 'of the cap',
        tone: 'accent',
        cells: shares.map((value) => ({ text: percent(value), value })),
      },
    ],
    inWords: percent,
    maximum: Math.max(1, ...shares),
  });
  return section(heading, `${groupedMoney(cap)} a day, counted from the first call of each payment.`, figure);
}

function percent(share: number): string {
  return `${Number((100 * share).toFixed(1))} %`;
}

const waitingWords: Readonly<Record<WaitingReason, string>> = {
  'next-run': 'waits for the next settlement',
  'not-queued': 'no longer QUEUED at the service',
  'no-member': 'the order names no member (a guest order)',
  'no-amount': 'no exact amount above zero',
  'no-address': 'an id that cannot be reported',
  changed: 'changed after its first call',
  'above-cap': 'above the cap of one reward',
  contradictory: 'listed more than once, with different terms',
};

const waitingTitle = 'Held and waiting';

function waitingSection(waiting: LedgerMonth['waiting'], withIds: boolean): Html {
  if (waiting.length === 0) return section(waitingTitle, 'Nothing is held, and nothing waits.');
  const reasons = [...new Set(waiting.map(({ reason }) => reason))];
  const table = dataTable({
    caption: 'Rewards that are not paid, by what is missing',
    columns: ['What is missing', 'rewards', 'amount'],
    rows: reasons.map((reason) => {
      const { count, amount } = totalOf(waiting.filter((one) => one.reason === reason));
      return [waitingWords[reason], count, money(amount)];
    }),
  });
  const named = namedTable(
    'Rewards that are not paid',
    'What is missing',
    waiting.map(({ rewardId, amount, reason }) => ({ rewardId, amount, words: waitingWords[reason] })),
  );
  return section(waitingTitle, 'Current state, as last seen.', table, withIds ? named : undefined);
}

const hourMs = 60 * 60 * 1000;
const ages = [
  { name: 'less than an hour', belowMs: hourMs },
  { name: 'an hour to a day', belowMs: 24 * hourMs },
  { name: '1 to 7 days', belowMs: 7 * 24 * hourMs },
  { name: '7 to 30 days', belowMs: 30 * 24 * hourMs },
  { name: 'longer than 30 days', belowMs: Number.POSITIVE_INFINITY },
] as const;

function unknownSection(unknown: LedgerMonth['unknown'], withIds: boolean): Html {
  if (unknown.length === 0) return section('Unknown by age', 'No payment has an unknown outcome.');
  const groups = ages.map(({ name, belowMs }, index) => {
    const fromMs = ages[index - 1]?.belowMs ?? 0;
    const isLast = index === ages.length - 1;
    return {
      name,
      total: totalOf(unknown.filter(({ ageMs }) => ageMs >= fromMs && (isLast || ageMs < belowMs))),
    };
  });
  const figure = chartFigure({
    kind: 'rows',
    title: 'Payments with an unknown outcome by age',
    of: 'Age',
    labels: groups.map(({ name }) => name),
    columns: [
      { header: 'payments', tone: 'odd', cells: groups.map(({ total }) => total.count) },
      { header: 'amount', cells: groups.map(({ total }) => money(total.amount)) },
    ],
  });
  const named = namedTable(
    'Payments with an unknown outcome, the oldest first',
    'Unknown for',
    unknown
      .toSorted((a, b) => b.ageMs - a.ageMs)
      .map(({ rewardId, amount, ageMs }) => ({ rewardId, amount, words: durationInWords(ageMs) })),
  );
  return section('Unknown by age', 'As of now, from the first call on.', figure, withIds ? named : undefined);
}

function namedTable(
  caption: string,
  header: string,
  rewards: readonly { readonly rewardId: string; readonly amount: Money; readonly words: string }[],
): Html {
  const isCut = rewards.length > namedRewards;
  return foldedTable({
    caption: `${caption}${isCut ? `: the first ${grouped(namedRewards)} of ${grouped(rewards.length)}` : ''}`,
    columns: ['Reward', 'amount', header],
    rows: rewards
      .slice(0, namedRewards)
      .map(({ rewardId, amount, words }) => [rewardId, money(amount), words]),
  });
}
