import { type Key, type Place, SortedList } from './sorted-list.ts';
import type { StateChange } from './state.ts';

interface Identified {
  readonly id: string;
}

/** Where the records of a list come from. */
interface Source<R> {
  get(id: string): R | undefined;
  values(): Iterable<R>;
  /** Calls `observe` for every write until the returned function is called. */
  watch(observe: (before: R | undefined, after: R | undefined) => void): () => void;
}

/** Which records a list contains, and in which order. Records with equal keys are ordered by id. */
export interface ListRule<R extends Identified> {
  readonly direction: 'ASC' | 'DESC';
  readonly collection: Source<R>;
  /** The only records that can match, if an index gives them. */
  readonly candidates?: readonly R[] | undefined;
  matches(record: R): boolean;
  keyOf(record: R): Key;
  /** Whether the key depends on other records, so that it may change while the record stays the same. */
  readonly hasDerivedKey?: boolean;
  /** The ids of records whose key or match another change may alter; `all` if they are not known. */
  readonly affectedBy?: ((change: StateChange) => readonly string[] | 'all') | undefined;
}

/** A sorted list of ids that follows every write. */
export class KeptList<R extends Identified> {
  readonly #rule: ListRule<R>;
  readonly #sorted: SortedList<R>;
  /** The keys under which records were inserted, if they cannot be derived from the records. */
  readonly #keys: Map<string, Key> | undefined;
  readonly #stop: () => void;

  constructor(rule: ListRule<R>) {
    this.#rule = rule;
    this.#keys = rule.hasDerivedKey ? new Map() : undefined;
    const records: R[] = [];
    for (const record of rule.candidates ?? rule.collection.values()) {
      if (!rule.matches(record)) continue;
      this.#keys?.set(record.id, rule.keyOf(record));
      records.push(record);
    }
    this.#sorted = new SortedList(records, (record) => this.#keyOf(record), rule.direction);
    this.#stop = rule.collection.watch((before, after) => this.#move(before, after));
  }

  get size(): number {
    return this.#sorted.size;
  }

  has(id: string): boolean {
    const place = this.placeOf(id);
    return place !== undefined && this.#sorted.has(place);
  }

  /** The place of the record with this id, whether the list contains it or not; undefined without such a record. */
  placeOf(id: string): Place | undefined {
    const record = this.#rule.collection.get(id);
    return record && { key: this.#keyOf(record), id };
  }

  /** The ids after a place, in order. */
  *idsAfter(place: Place | undefined): Generator<string> {
    for (const { id } of this.#sorted.after(place)) yield id;
  }

  /** Applies a change of another record; false if the list has to be rebuilt instead. */
  follow(change: StateChange): boolean {
    const ids = this.#rule.affectedBy?.(change) ?? [];
    if (ids === 'all') return false;
    for (const id of ids) {
      const record = this.#rule.collection.get(id);
      if (record && !this.#isInPlace(record)) this.#move(record, record);
    }
    return true;
  }

  /** Stops following writes. */
  drop(): void {
    this.#stop();
  }

  #keyOf(record: R): Key {
    return this.#keys?.get(record.id) ?? this.#rule.keyOf(record);
  }

  #isInPlace(record: R): boolean {
    const isHeld = this.#sorted.has({ key: this.#keyOf(record), id: record.id });
    return isHeld === this.#rule.matches(record) && this.#keyOf(record) === this.#rule.keyOf(record);
  }

  #move(before: R | undefined, after: R | undefined): void {
    if (before) {
      this.#sorted.remove({ key: this.#keyOf(before), id: before.id });
      this.#keys?.delete(before.id);
    }
    if (!after || !this.#rule.matches(after)) return;
    this.#keys?.set(after.id, this.#rule.keyOf(after));
    this.#sorted.insert(after);
  }
}
