import { IdTable } from './id-table.ts';

interface Identified {
  readonly id: string;
}

/** The key of a record in an index; null leaves the record out. */
type KeyOf<R> = (record: R) => string | null;

/** Defines an index; its keys are ids of other records, or any text. */
interface IndexRule<R> {
  readonly keyOf: KeyOf<R>;
  readonly kind: 'id' | 'text';
}

export function byId<R>(keyOf: KeyOf<R>): IndexRule<R> {
  return { keyOf, kind: 'id' };
}

export function byText<R>(keyOf: KeyOf<R>): IndexRule<R> {
  return { keyOf, kind: 'text' };
}

type Observe<R> = (before: R | undefined, after: R | undefined) => void;

/** Records of one kind by id, in the order of their creation, with indexes by keys that need not be unique. */
export class Collection<R extends Identified, K extends string> {
  readonly #records = new IdTable<R>();
  readonly #byName: ReadonlyMap<string, Index<R>>;
  readonly #indexes: readonly Index<R>[];
  readonly #observe: Observe<R>;
  #watchers: readonly Observe<R>[] = [];

  /** `observe` is called with the record before and after each change, ahead of all watchers. */
  constructor(rules: Readonly<Record<K, IndexRule<R>>>, observe: Observe<R>) {
    this.#byName = new Map(
      Object.entries<IndexRule<R>>(rules).map(([name, rule]) => [name, new Index(rule)]),
    );
    this.#indexes = [...this.#byName.values()];
    this.#observe = observe;
  }

  get size(): number {
    return this.#records.size;
  }

  get(id: string): R | undefined {
    return this.#records.get(id);
  }

  values(): Iterable<R> {
    return this.#records.values();
  }

  /** The records with this key: those from before the index was built by age, then the others in order of insertion. */
  find(index: K, key: string): R[] {
    return this.#ids(index, key)
      .map((id) => this.#records.get(id))
      .filter((record) => record !== undefined);
  }

  first(index: K, key: string): R | undefined {
    const [id] = this.#ids(index, key);
    return id === undefined ? undefined : this.#records.get(id);
  }

  has(index: K, key: string): boolean {
    return this.count(index, key) > 0;
  }

  count(index: K, key: string): number {
    return this.#ids(index, key).length;
  }

  /** Builds an index on first use: most of a large state is never looked up by most of its keys. */
  #ids(name: K, key: string): readonly string[] {
    const index = this.#byName.get(name);
    if (index?.isMade === false) for (const record of this.#records.values()) index.take(record);
    return index?.ids(key) ?? [];
  }

  /** Calls `observe` for every change until the returned function is called. */
  watch(observe: Observe<R>): () => void {
    this.#watchers = [...this.#watchers, observe];
    return () => {
      this.#watchers = this.#watchers.filter((one) => one !== observe);
    };
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
    for (const index of this.#indexes) index.move(id, before, after);
    this.#observe(before, after);
    for (const watch of this.#watchers) watch(before, after);
  }
}

type Ids = string | string[];

/** Up to this length, lists are copied on insertion to waste no memory. */
const fewIds = 8;

type Table = Pick<Map<string, Ids>, 'get'> & {
  set(key: string, ids: Ids): void;
  delete(key: string): void;
};

/** Ids by key. Most keys belong to one record, so a list is created only for the second. */
class Index<R extends Identified> {
  readonly #keyOf: KeyOf<R>;
  readonly #table: Table;
  #isMade = false;

  constructor({ keyOf, kind }: IndexRule<R>) {
    this.#keyOf = keyOf;
    this.#table = kind === 'id' ? new IdTable<Ids>() : new Map<string, Ids>();
  }

  /** Whether the index has been built; changes before that need not be indexed. */
  get isMade(): boolean {
    return this.#isMade;
  }

  take(record: R): void {
    const key = this.#keyOf(record);
    if (key !== null) this.#add(key, record.id);
  }

  ids(key: string): readonly string[] {
    this.#isMade = true;
    const found = this.#table.get(key);
    if (found === undefined) return [];
    return typeof found === 'string' ? [found] : found;
  }

  move(id: string, before: R | undefined, after: R | undefined): void {
    if (!this.#isMade) return;
    const from = before ? this.#keyOf(before) : null;
    const to = after ? this.#keyOf(after) : null;
    if (from === to) return;
    if (from !== null) this.#remove(from, id);
    if (to !== null) this.#add(to, id);
  }

  #add(key: string, id: string): void {
    const found = this.#table.get(key);
    if (found === undefined) this.#table.set(key, id);
    else if (typeof found === 'string') this.#table.set(key, [found, id]);
    // A push would reserve memory for many more ids.
    else if (found.length < fewIds) this.#table.set(key, found.concat(id));
    else found.push(id);
  }

  #remove(key: string, id: string): void {
    const found = this.#table.get(key);
    if (typeof found === 'object' && found.length > 1) found.splice(found.indexOf(id), 1);
    else this.#table.delete(key);
  }
}
