import type { ClaimFilter, EntryFilter, LedgerEntry, LedgerEvent } from '../../src/store/ledger/ledger.ts';
import { newMeta } from '../../src/store/ledger/ledger-meta.ts';
import { identity, nowMs } from './entries.ts';

export const newLedger = { ...newMeta(identity, nowMs), ledgerId: 'ledger' };

/** The reading methods of a ledger with these entries and events, each on a page of its own. */
export function readLedger(entries: readonly LedgerEntry[], events: readonly LedgerEvent[] = []) {
  return {
    find: async (rewardId: string) => entries.find((entry) => entry.rewardId === rewardId),
    entries: (filter: EntryFilter & Partial<ClaimFilter> = {}) =>
      pagesOf(entries.filter((entry) => isSelected(entry, filter))),
    events: () => pagesOf(events),
    reversals: () => pagesOf(events.filter(({ kind }) => kind === 'reversed')),
  };
}

function isSelected(entry: LedgerEntry, filter: EntryFilter & Partial<ClaimFilter>): boolean {
  const { payment, report, seen, call } = entry;
  return (
    (filter.payment?.includes(payment) ?? true) &&
    (filter.report?.includes(report) ?? true) &&
    (filter.seenByRun === undefined || seen.run === filter.seenByRun) &&
    (filter.claimedBy === undefined || call?.owner === filter.claimedBy)
  );
}

export async function* pagesOf<T>(all: readonly T[]): AsyncGenerator<readonly T[]> {
  for (const one of all) yield [one];
}
