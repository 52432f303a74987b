import { type Shard, shardOf } from '../../base/shard.ts';
import { orderFieldOf } from '../records/field.ts';
import type { RecordKind } from '../records/record-kinds.ts';

/**
 * Which rows belong to a shard. Their key decides, which all records that are compared with each other have in common:
 * the order of an item, the originId of a product. So each row belongs to exactly one shard, and duplicates, numbers
 * within an order and contradictions within an order never cross shards.
 */
export class ShardFilter {
  readonly #shard: Shard;
  /** The fields of which the first with a value is the key. */
  readonly paths: readonly string[];
  /**
   * Whether a row without a readable key is left to another shard: as a rule every shard refuses the input for it, and
   * only where such rows are skipped, one shard alone has it.
   */
  readonly isKeylessElsewhere: boolean;

  /** With `isNumbered`, ids are made of the number of the row within its order. */
  constructor(
    shard: Shard,
    { shardedBy = [], fields }: RecordKind,
    isNumbered: boolean,
    areRowsSkipped: boolean,
  ) {
    const order = orderFieldOf(fields);
    this.#shard = shard;
    this.paths = isNumbered && order !== undefined ? [order.path] : shardedBy;
    this.isKeylessElsewhere = areRowsSkipped && this.#isOther('');
  }

  /** Whether a record with these fields belongs to another shard. */
  isElsewhere(fields: Readonly<Record<string, unknown>>): boolean {
    const key = this.paths.map((path) => fields[path]).find((value) => typeof value === 'string');
    return typeof key === 'string' ? this.#isOther(key) : this.isKeylessElsewhere;
  }

  #isOther(key: string): boolean {
    return shardOf(key, this.#shard.count) !== this.#shard.index;
  }
}
