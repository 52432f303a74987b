import type { FieldChanges } from '../steps/outcome.ts';
import type { PlanEntry } from '../steps/push-flow.ts';

/**
 * Why what would be done with a record now is not what was planned, with both values; undefined where it is, or where
 * nothing is left to be written.
 */
export function driftBetween(planned: PlanEntry, now: PlanEntry): string | undefined {
  const isRefusedNow = planned.write !== undefined && now.outcome.outcome === 'rejected';
  const isSame = now.write === undefined ? !isRefusedNow : comparable(planned) === comparable(now);
  if (isSame) return undefined;
  return `changed since the plan was made: planned: ${inWords(planned)}; now: ${inWords(now)}`;
}

/** A write, and what it replaces. */
function comparable({ outcome, write }: PlanEntry): string {
  const froms = Object.entries(outcome.changes ?? {}).map(([field, { from }]) => [field, from]);
  return JSON.stringify([write ?? null, froms]);
}

function inWords({ outcome, write }: PlanEntry): string {
  if (write === undefined) return outcome.error ?? outcome.outcome;
  if (outcome.outcome !== 'updated') return 'create it';
  return outcome.changes === undefined ? 'update it' : `update ${changesInWords(outcome.changes)}`;
}

function changesInWords(changes: FieldChanges): string {
  return Object.entries(changes)
    .map(([field, { from, to }]) => `${field} from ${JSON.stringify(from)} to ${JSON.stringify(to)}`)
    .join(', ');
}
