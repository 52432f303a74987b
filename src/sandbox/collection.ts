interface Identified {
  readonly id: string;
}

/** The value a record is found by, or null when it is not to be found by this index. */
type KeyOf<R> = (record: R) => string | null;

type Observe<R> = (before: R | undefined, after: R | undefined) => void;

/** Records of one kind by id, in the order of their creation, and by further keys, which several may share. */
export class Collection<R extends Identified, K extends string> {
  readonly #records = new Map<string, R>();
  readonly #indexes: ReadonlyMap<string, Index<R>>;
  readonly #observe: Observe<R>;

  /** `observe` is told of every change: the record before it, and after it. */
  constructor(keys: Readonly<Record<K, KeyOf<R>>>, observe: Observe<R>) {
    this.#indexes = new Map(Object.entries<KeyOf<R>>(keys).map(([name, keyOf]) => [name, new Index(keyOf)]));
    this.#observe = observe;
  }

  get size(): number {
    return this.#records.size;
  }

  get(id: string): R | undefined {
    return this.#records.get(id);
  }

  values(): IterableIterator<R> {
    return this.#records.values();
  }

  /** The records with this key, the one that has had it longest first. */
  find(index: K, key: string): R[] {
    const ids = this.#indexes.get(index)?.ids(key) ?? [];
    return Array.from(ids, (id) => this.#records.get(id)).filter((record) => record !== undefined);
  }

  first(index: K, key: string): R | undefined {
    for (const id of this.#indexes.get(index)?.ids(key) ?? []) return this.#records.get(id);
    return undefined;
  }

  has(index: K, key: string): boolean {
    return this.count(index, key) > 0;
  }

  count(index: K, key: string): number {
    return this.#indexes.get(index)?.count(key) ?? 0;
  }

  /** Adds the record, or replaces the one of the same id. */
  put(record: R): void {
    const before = this.#records.get(record.id);
    this.#records.set(record.id, record);
    this.#changed(record.id, before, record);
  }

  remove(id: string): void {
    const before = this.#records.get(id);
    if (!before) return;
    this.#records.delete(id);
    this.#changed(id, before, undefined);
  }

  #changed(id: string, before: R | undefined, after: R | undefined): void {
    for (const index of this.#indexes.values()) index.move(id, before, after);
    this.#observe(before, after);
  }
}

/** Ids by key. Most keys belong to one record, so a set is made only for the second one. */
class Index<R> {
  readonly #keyOf: KeyOf<R>;
  readonly #ids = new Map<string, string | Set<string>>();

  constructor(keyOf: KeyOf<R>) {
    this.#keyOf = keyOf;
  }

  ids(key: string): Iterable<string> {
    const found = this.#ids.get(key);
    if (found === undefined) return [];
    return typeof found === 'string' ? [found] : found;
  }

  count(key: string): number {
    const found = this.#ids.get(key);
    if (found === undefined) return 0;
    return typeof found === 'string' ? 1 : found.size;
  }

  move(id: string, before: R | undefined, after: R | undefined): void {
    const from = before ? this.#keyOf(before) : null;
    const to = after ? this.#keyOf(after) : null;
    if (from === to) return;
    if (from !== null) this.#remove(from, id);
    if (to !== null) this.#add(to, id);
  }

  #add(key: string, id: string): void {
    const found = this.#ids.get(key);
    if (found === undefined) this.#ids.set(key, id);
    else if (typeof found === 'string') this.#ids.set(key, new Set([found, id]));
    else found.add(id);
  }

  #remove(key: string, id: string): void {
    const found = this.#ids.get(key);
    if (found instanceof Set && found.size > 1) found.delete(id);
    else this.#ids.delete(key);
  }
}
