import { type Shard, shardOf } from '../../base/shard.ts';
import type { FieldReader } from '../mapping/binding.ts';
import type { RecordKind } from '../records/record-kinds.ts';

/** In place of a record of another shard. */
export const elsewhere = Symbol('a record of another shard');

/**
 * Which rows belong to a shard. Their key decides, which all records that are compared with each other have in common:
 * the order of an item, the originId of a product. So each row belongs to exactly one shard, and duplicates, numbers
 * within an order and contradictions within an order never cross shards.
 */
export class ShardFilter {
  readonly #shard: Shard;
  readonly #paths: readonly string[];
  readonly #areRowsSkipped: boolean;

  /** Undefined without a shard. With `areRowsSkipped`, a row that is not valid does not end the push. */
  static of<T>(
    { shardedBy = [], fields }: RecordKind<T>,
    {
      shard,
      isNumbered,
      areRowsSkipped,
    }: {
      readonly shard: Shard | undefined;
      /** Whether ids are made of the number of the row within its order. */
      readonly isNumbered: boolean;
      readonly areRowsSkipped: boolean;
    },
  ): ShardFilter | undefined {
    const order = fields.find(({ isOfOrder }) => isOfOrder);
    const paths = isNumbered && order !== undefined ? [order.path] : shardedBy;
    return shard && new ShardFilter(shard, paths, areRowsSkipped);
  }

  private constructor(shard: Shard, paths: readonly string[], areRowsSkipped: boolean) {
    this.#shard = shard;
    this.#paths = paths;
    this.#areRowsSkipped = areRowsSkipped;
  }

  /** The readers of the key, after that of the field that numbers rows, and all others. */
  split(
    readers: readonly FieldReader[],
    orderKey: string | undefined,
  ): { readonly ofKey: readonly FieldReader[]; readonly others: readonly FieldReader[] } {
    const paths = [...new Set([orderKey, ...this.#paths])];
    const ofKey = paths.flatMap((path) => readers.filter(({ field }) => field.path === path));
    return { ofKey, others: readers.filter((reader) => !ofKey.includes(reader)) };
  }

  /** Whether a record with these fields belongs to another shard. */
  isElsewhere(fields: Readonly<Record<string, unknown>>): boolean {
    for (const path of this.#paths) {
      const key = fields[path];
      if (typeof key === 'string') return this.#isOther(key);
    }
    return this.isKeylessElsewhere;
  }

  /**
   * Whether a row without a readable key is left to another shard: as a rule every shard refuses the input for it, and
   * only where such rows are skipped, one shard alone has it.
   */
  get isKeylessElsewhere(): boolean {
    return this.#areRowsSkipped && this.#isOther('');
  }

  #isOther(key: string): boolean {
    return shardOf(key, this.#shard.count) !== this.#shard.index;
  }
}
