import { type Shard, shardOf } from '../../base/shard.ts';
import type { Fields } from '../mapping/column.ts';
import { orderFieldOf } from '../records/field.ts';
import type { RecordKind } from '../records/record-kinds.ts';

/**
 * Which rows belong to a shard. Their key decides, which all records that are compared with each other have in common:
 * the order of an item, the originId of a product. So each row belongs to exactly one shard, and duplicates, numbers
 * within an order and contradictions within an order never cross shards.
 */
export interface ShardFilter {
  /** The fields of which the first with a value is the key. */
  readonly paths: readonly string[];
  /**
   * Whether a row without a readable key is left to another shard: as a rule every shard refuses the input for it, and
   * only where such rows are skipped, one shard alone has it.
   */
  readonly isKeylessElsewhere: boolean;
  /** Whether a record with these fields belongs to another shard. */
  isElsewhere(fields: Fields): boolean;
}

/** With `isNumbered`, ids are made of the number of the row within its order. */
export function shardFilter(
  { count, index }: Shard,
  { shardedBy = [], fields: known }: RecordKind,
  isNumbered: boolean,
  areRowsSkipped: boolean,
): ShardFilter {
  const order = orderFieldOf(known);
  const paths = isNumbered && order !== undefined ? [order.path] : shardedBy;
  const isOther = (key: string) => shardOf(key, count) !== index;
  const isKeylessElsewhere = areRowsSkipped && isOther('');
  return {
    paths,
    isKeylessElsewhere,
    isElsewhere: (fields) => {
      const key = paths.map((path) => fields[path]).find((value) => typeof value === 'string');
      return typeof key === 'string' ? isOther(key) : isKeylessElsewhere;
    },
  };
}
