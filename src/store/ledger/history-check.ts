import { isDeepStrictEqual } from 'node:util';
import {
  invalidTransition,
  type Move,
  type Posting,
  postingOf,
  type Summary,
  summaryInWords,
  summaryOf,
} from './ledger-invariants.ts';
import { isSealed, type LedgerRow, readEntry, readRow, readSummary } from './ledger-rows.ts';

/**
 * Checks the events of each reward against the ledger invariants. Takes one event at a time, ordered by reward and then
 * by number, and describes its problem to a person, if any.
 */
export function createHistoryCheck(): (event: LedgerRow) => string | undefined {
  let last: { readonly rewardId: LedgerRow[string] | undefined; readonly summary?: Summary } | undefined;
  return (row) => {
    const rewardId = row['reward_id'];
    const known = last?.rewardId === rewardId ? last : undefined;
    if (!isSealed('event', row)) {
      last = { rewardId };
      return `event ${row['seq']}: it was changed after it was written`;
    }
    const { kind, posting, ...event } = readRow('event', row);
    const move = { kind, before: known?.summary, after: readSummary(event) };
    last = { rewardId, summary: move.after };
    // After a changed event, the next one cannot be judged: its initial state is unknown.
    const isJudged = known === undefined || known.summary !== undefined;
    const why = isJudged ? wrongInMove(move, posting) : undefined;
    return why && `event ${event.seq} of reward ${event.reward_id}: ${why}`;
  };
}

function wrongInMove(move: Move, posting: Posting | null): string | undefined {
  const due = postingOf(move.kind, move.before, move.after);
  const posted =
    posting === due
      ? undefined
      : `'${move.kind}' has the posting ${posting ?? 'none'} instead of ${due ?? 'none'}`;
  return invalidTransition(move) ?? posted;
}

/** Describes to a person how a reward contradicts its last event. */
export function wrongInReward(row: LedgerRow, lastEvent: LedgerRow | undefined): string | undefined {
  const rewardId = row['reward_id'];
  if (lastEvent === undefined) return `reward ${rewardId}: it has no event`;
  if (!isSealed('reward', row)) return `reward ${rewardId}: it was changed after it was written`;
  if (!isSealed('event', lastEvent)) return undefined;
  const [held, left] = [summaryOf(readEntry(row)), readSummary(readRow('event', lastEvent))];
  if (isDeepStrictEqual(held, left)) return undefined;
  return `reward ${rewardId}: its events lead to ${summaryInWords(left)}, but it is ${summaryInWords(held)}`;
}
