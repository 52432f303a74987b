import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import type { UpdatedRecord } from '../../src/store/runs/undo-log.ts';

export type Changes = UpdatedRecord['changes'];

export const place = { file: 'a.csv', line: 2, originId: 'X1' };

/** A record of the undo log that an update changed so. */
export function record(changes: Changes): UpdatedRecord {
  return { kind: 'updated', ...place, id: '7', orderId: '3', changes };
}

/** A service that puts defaults in the place of what an update leaves out. */
export const apply = { ...defaultAssumptions, defaultsOnUpdate: 'apply' } as const;
