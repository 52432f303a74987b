import { type Shard, shardOf } from '../../base/shard.ts';
import type { Fields } from '../mapping/column.ts';
import { orderFieldOf } from '../records/field.ts';
import type { RecordKind } from '../records/record-kinds.ts';

/**
 * Decides by its key which shard a row belongs to. All records that are compared with each other share a key: the
 * order of an item, the originId of a product. So each row belongs to exactly one shard, and duplicates, numbers within
 * an order and contradictions within an order never cross shards.
 */
export interface ShardFilter {
  /** Paths of the key's fields; the first one with a value is the key. */
  readonly paths: readonly string[];
  /**
   * True if rows without a readable key belong to another shard. If such rows are skipped, one shard reports them;
   * otherwise every shard refuses the input.
   */
  readonly isKeylessElsewhere: boolean;
  /** True if a record with these fields belongs to another shard. */
  isElsewhere(fields: Fields): boolean;
}

/** `isNumbered` says that ids contain the number of the row within its order, so the order is the key. */
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
