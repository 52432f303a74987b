import type { Judgement, LogLine } from './settlement-logs.ts';

/** The lines of the three logs, as described in `settlement-rules.js`. */
export interface SettlementLogs {
  readonly payer: readonly LogLine[];
  readonly service: readonly LogLine[];
  readonly ledger: readonly LogLine[];
}

/** Describes each promise broken in the three logs. */
export function violationsOf(logs: SettlementLogs, judgement: Judgement): string[];
