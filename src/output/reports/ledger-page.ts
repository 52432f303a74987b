import { type Money, type MoneyTotal, noMoney, plus } from '../../base/money.ts';
import type { LedgerMonth, WaitingReason } from '../../settle/manual/ledger-month.ts';
import { counted, grouped, groupedMoney } from '../terminal/totals.ts';
import { durationInWords } from '../views/duration-in-words.ts';
import { type Cell, dataTable } from './data-table.ts';
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

/** The page about one month of a ledger. */
export function ledgerPage(report: LedgerReport): Page {
  const { month, shop, origin, figures, frozen, withIds, next, footer } = report;
  const { days, waiting, unknown } = figures;
  const reversed = sumOf(days.map((day) => day.reversed));
  const held = totalOf(waiting.filter(({ reason }) => reason !== 'next-run'));
  return {
    kind: 'Ledger report',
    title: `Rewards of ${month}`,
    lead: `Shop ${shop} at ${origin}; Korean days.${frozen === undefined ? '' : ` Payments are blocked: ${frozen}`}`,
    figures: [
      totalFigure('Paid', sumOf(days.map((day) => day.paid)), 'good'),
      ...(reversed.count === 0 ? [] : [totalFigure('Taken back', reversed)]),
      totalFigure('Refused', sumOf(days.map((day) => day.refused))),
      totalFigure('Held now', held, held.count === 0 ? undefined : 'warn'),
      totalFigure('Unknown now', totalOf(unknown), unknown.length === 0 ? undefined : 'odd'),
    ],
    sections: [
      daySection(report),
      waitingSection(report),
      unknownSection(unknown, withIds),
      nextSection(next),
    ],
    footer,
  };
}

function totalFigure(name: string, { count, amount }: MoneyTotal, tone?: KeyFigure['tone']): KeyFigure {
  return { name, value: groupedMoney(amount), note: counted(count, 'reward'), tone };
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

function daySection({ figures: { days }, cap }: LedgerReport): Html {
  const capNote =
    cap === undefined || cap === 0n
      ? 'No cap is set for this profile: the setting max-amount-per-day sets one.'
      : `The cap of a day is ${groupedMoney(cap)}, counted from the first call of each payment.`;
  const table = dataTable({
    caption: 'Amounts by day',
    columns: ['Day', 'rewards', 'paid', 'refused', 'became unknown', 'taken back', 'of the cap'],
    rows: days.map(({ day, paid, refused, becameUnknown, reversed, spent, reserved }) => [
      day,
      paid.count,
      ...[paid, refused, becameUnknown, reversed].map(({ amount }) => money(amount)),
      capCell(spent + reserved, cap),
    ]),
  });
  return section('By day', capNote, table);
}

function money(amount: Money): Cell {
  return { text: groupedMoney(amount) };
}

function capCell(used: Money, cap: Money | undefined): Cell {
  if (cap === undefined || cap === 0n) return null;
  const share = Number((10_000n * used) / cap) / 10_000;
  return { text: `${Number((100 * share).toFixed(1))} %`, bar: { share, tone: 'accent' } };
}

const waitingWords: Readonly<Record<WaitingReason, string>> = {
  'next-run': 'waits for the next settlement',
  'not-queued': 'no longer QUEUED at the service',
  'no-member': 'the order names no readable member (such as a guest order)',
  'no-amount': 'no exact amount above zero',
  'no-address': 'an id that cannot be reported',
  changed: 'changed after its first call',
  'above-cap': 'above the cap of one reward',
  contradictory: 'listed more than once, with different terms',
};

function waitingSection({ figures: { waiting }, isEmpty }: LedgerReport): Html {
  const heading = 'Held and waiting';
  if (isEmpty) return section(heading, 'Not known yet: no settlement has read the rewards.');
  if (waiting.length === 0) return section(heading, 'Nothing is held, and nothing waits.');
  const reasons = [...new Set(waiting.map(({ reason }) => reason))];
  const table = dataTable({
    caption: 'Rewards that are not paid, by what is missing',
    columns: ['What is missing', 'rewards', 'amount'],
    rows: reasons.map((reason) => {
      const { count, amount } = totalOf(waiting.filter((one) => one.reason === reason));
      return [waitingWords[reason], count, money(amount)];
    }),
  });
  return section(heading, 'Current state, as last seen.', table);
}

/** Maximum payments that are listed. */
const listedMaximum = 500;

function unknownSection(unknown: LedgerMonth['unknown'], withIds: boolean): Html {
  const heading = 'Unknown payments';
  if (unknown.length === 0) return section(heading, 'No payment has an unknown outcome.');
  const oldest = unknown.toSorted((a, b) => b.ageMs - a.ageMs).slice(0, listedMaximum);
  const more = unknown.length - oldest.length;
  const table = dataTable({
    caption: 'Payments with an unknown outcome, the oldest first',
    columns: ['Unknown for', 'amount', ...(withIds ? ['Reward'] : [])],
    rows: oldest.map(({ rewardId, amount, ageMs }) => [
      durationInWords(ageMs),
      money(amount),
      ...(withIds ? [rewardId] : []),
    ]),
  });
  const note = `As of now, from the first call on${more > 0 ? `; ${grouped(more)} more are not listed` : ''}.`;
  return section(heading, note, table);
}
