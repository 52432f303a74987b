import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import type { UpdatedRecord } from '../../src/store/runs/undo-log.ts';

export type Changes = UpdatedRecord['changes'];

export const place = { file: 'a.csv', line: 2, originId: 'X1' };

/** A record of the undo log for an update with these changes. */
export function record(changes: Changes): UpdatedRecord {
  return { kind: 'updated', ...place, id: '7', orderId: '3', changes };
}

/** A service that resets fields missing from an update to their defaults. */
export const apply = { ...defaultAssumptions, defaultsOnUpdate: 'apply' } as const;

/** The outcome of a record with a field that cannot be restored. */
export const leftAlone = (field: string, { from, to }: Changes[string], obstacle: string) => ({
  ...place,
  outcome: 'rejected',
  id: '7',
  error: `left alone: ${field} was ${JSON.stringify(from)}, the run sent ${JSON.stringify(to)}, and ${obstacle}`,
});
