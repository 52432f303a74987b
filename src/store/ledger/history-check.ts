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

/** Follows the events of each reward by the law, and compares where they lead with the entry. */
export interface HistoryCheck {
  /** The next event, in the order of rewards and then of events. */
  add(event: LedgerRow): Iterable<string>;
  /** After the last event. */
  end(): Iterable<string>;
}

/** `entryRow` finds the row of a reward that `add` was given events of; every problem is in words for a person. */
export function createHistoryCheck(entryRow: (rewardId: string) => LedgerRow | undefined): HistoryCheck {
  let last: { readonly rewardId: string; readonly summary: Summary | undefined } | undefined;
  function* end(): Generator<string> {
    if (last !== undefined) yield* wrongInEntry(last.rewardId, last.summary, entryRow(last.rewardId));
  }
  return {
    end,
    *add(row) {
      const rewardId = String(row['reward_id']);
      const known = last?.rewardId === rewardId ? last : undefined;
      if (known === undefined) yield* end();
      const before = known?.summary;
      if (!isSealed('event', row)) {
        yield `event ${row['seq']}: it was changed after it was written`;
        last = { rewardId, summary: undefined };
        return;
      }
      const { kind, posting, ...event } = readRow('event', row);
      const move = { kind, before, after: readSummary(event) };
      const why = known === undefined || before !== undefined ? wrongInMove(move, posting) : undefined;
      if (why !== undefined) yield `event ${event.seq} of reward ${rewardId}: ${why}`;
      last = { rewardId, summary: move.after };
    },
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

function* wrongInEntry(
  rewardId: string,
  summary: Summary | undefined,
  row: LedgerRow | undefined,
): Generator<string> {
  if (row === undefined) {
    yield `reward ${rewardId}: its events are there, it is not`;
    return;
  }
  if (!isSealed('reward', row)) {
    yield `reward ${rewardId}: it was changed after it was written`;
    return;
  }
  const held = summaryOf(readEntry(row));
  if (summary === undefined || isDeepStrictEqual(held, summary)) return;
  yield `reward ${rewardId}: its events lead to ${summaryInWords(summary)}, it is ${summaryInWords(held)}`;
}
