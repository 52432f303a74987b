import type { Judgement, LogLine } from './settlement-logs.ts';

/** The lines of the three logs, as `settlement-rules.js` describes them. */
export interface SettlementLogs {
  readonly payer: readonly LogLine[];
  readonly service: readonly LogLine[];
  readonly ledger: readonly LogLine[];
}

/** Each broken promise in the lines of the three logs, in words. */
export function violationsOf(logs: SettlementLogs, judgement: Judgement): string[];
