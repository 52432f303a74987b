import type { EventMark } from './ledger.ts';
import { columns, type LedgerRow } from './ledger-rows.ts';

/** The tables that every store of ledgers has, with their columns; the first one is unique. */
export const copiedTables = {
  account: ['account'],
  origin: ['origin'],
  lacking: ['name', 'line', 'reward_id'],
  run: ['run', 'command', 'at_ms'],
  reward: [...columns.reward, 'seal'],
  event: [...columns.event, 'seal'],
  budget: [...columns.budget, 'seal'],
  plan: [...columns.plan, 'seal'],
} as const satisfies Record<string, readonly string[]>;

export type CopiedTable = keyof typeof copiedTables;

/** All that a ledger holds, as it is at one instant. */
export interface LedgerCopy {
  /** What it says of itself, but for its place and its freeze. */
  readonly meta: ReadonlyMap<string, string>;
  readonly frozen: string | undefined;
  readonly last: EventMark;
  /** The rows of a table, in the order of its first column, page by page. */
  rows(table: CopiedTable): Iterable<readonly LedgerRow[]>;
  close(): void;
}
