import { Failure } from '../../base/failure.ts';
import {
  type Database,
  openDatabase,
  openMemoryDatabase,
  readPragma,
  transaction,
} from '../../base/sqlite.ts';
import type {
  StoredBulk,
  StoredCategory,
  StoredHint,
  StoredOrder,
  StoredOrderItem,
  StoredProduct,
  StoredProductGroup,
  StoredReview,
  StoredReward,
} from './records.ts';

/** They identify a data file of a sandbox, and the format of its tables and documents. */
const applicationId = 0x72767362;
const formatVersion = 3;

const collectionNames = [
  'products',
  'productGroups',
  'categories',
  'orders',
  'orderItems',
  'reviews',
  'rewards',
  'bulks',
  'hints',
] as const;

type CollectionName = (typeof collectionNames)[number];

/** Fields by which records are looked up or listed. */
const indexedFields: Readonly<Partial<Record<CollectionName, readonly string[]>>> = {
  products: ['originId', 'groupId', 'name'],
  productGroups: ['name'],
  categories: ['originId'],
  orders: ['originId'],
  orderItems: ['originId', 'orderId'],
  reviews: ['orderItemId', 'createdAt', 'updatedAt', 'helpfulCount'],
  rewards: ['reviewId', 'status'],
};

/** SQL condition for the reviews that consumers can see. Only these count. */
export const isCounted = `reviews.document ->> 'isVisible' AND NOT reviews.document ->> 'isBlocked'`;

const creation = `
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${formatVersion};
  CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  ${collectionNames
    .map((name) => `CREATE TABLE ${name} (id INTEGER PRIMARY KEY, document TEXT NOT NULL) STRICT;`)
    .join('\n')}
  ${Object.entries(indexedFields)
    .flatMap(([name, fields]) =>
      fields.map((field) => `CREATE INDEX ${name}_${field} ON ${name} (document ->> '${field}');`),
    )
    .join('\n')}
  CREATE INDEX reviews_counted ON reviews (document ->> 'productId', document ->> 'rating')
    WHERE ${isCounted.replaceAll('reviews.', '')};
  CREATE INDEX bulks_due ON bulks (document ->> 'dueAtMs') WHERE document ->> 'endedAt' IS NULL;
`;

/** `lastId` before any id is assigned; the first id is the next number. */
const lastIdOfNone = 1_000_000;

/** Maximum number of derived values to keep between two writes. */
const derivedMaximum = 10_000;

/** Normalizes text for searches in lists: lower case, and Hangul composed. */
function plainText(text: unknown): string {
  return typeof text === 'string' ? text.normalize('NFC').toLowerCase() : '';
}

type Value = string | number;

/** The number of reviews and the sum of their ratings. */
export interface RatingTally {
  readonly count: number;
  readonly ratingSum: number;
}

/** Records of one kind: a table of JSON documents by id, in the order of their creation. */
export class Collection<R extends { readonly id: string }> {
  readonly name: CollectionName;
  readonly #state: State;

  constructor(state: State, name: CollectionName) {
    this.#state = state;
    this.name = name;
  }

  get size(): number {
    return this.#state.prepare(`SELECT count(*) AS count FROM ${this.name}`).get().count;
  }

  get(id: string): R | undefined {
    const row = this.#state.prepare(`SELECT document FROM ${this.name} WHERE id = ?`).get(Number(id));
    const record: R | undefined = row && JSON.parse(row.document);
    // '1e6' and '01000000' are numbers, but not ids.
    return record?.id === id ? record : undefined;
  }

  values(): R[] {
    return this.select('TRUE ORDER BY id');
  }

  find(field: keyof R & string, value: string): R[] {
    return this.select(`document ->> '${field}' = ?`, value);
  }

  first(field: keyof R & string, value: string): R | undefined {
    const [record] = this.select(`document ->> '${field}' = ? LIMIT 1`, value);
    return record;
  }

  /** The id of the first record with this value. */
  idOf(field: keyof R & string, value: string): string | undefined {
    const statement = this.#state.prepare(`SELECT id FROM ${this.name} WHERE document ->> '${field}' = ?`);
    const row = statement.get(value);
    return row && String(row.id);
  }

  has(field: keyof R & string, value: string): boolean {
    return this.idOf(field, value) !== undefined;
  }

  count(field: keyof R & string, value: string): number {
    const sql = `SELECT count(*) AS count FROM ${this.name} WHERE document ->> '${field}' = ?`;
    return this.#state.prepare(sql).get(value).count;
  }

  /** The records that meet an SQL condition. */
  select(condition: string, ...values: readonly Value[]): R[] {
    const statement = this.#state.prepare(`SELECT document FROM ${this.name} WHERE ${condition}`);
    return statement.all(...values).map(({ document }) => JSON.parse(document));
  }

  /** Adds the record, or replaces the one with the same id. */
  put(record: R): void {
    const statement = this.#state.prepare(`INSERT OR REPLACE INTO ${this.name} VALUES (?, ?)`);
    statement.run(Number(record.id), JSON.stringify(record));
    this.#state.noteWrite();
  }

  remove(id: string): void {
    this.#state.prepare(`DELETE FROM ${this.name} WHERE id = ?`).run(Number(id));
    this.#state.noteWrite();
  }
}

/**
 * All records of the service, in an SQLite file or in memory. Handlers implement the rules of operations. Committed
 * writes survive a kill of the process, but not a power failure.
 */
export class State {
  readonly products = new Collection<StoredProduct>(this, 'products');
  readonly productGroups = new Collection<StoredProductGroup>(this, 'productGroups');
  readonly categories = new Collection<StoredCategory>(this, 'categories');
  readonly orders = new Collection<StoredOrder>(this, 'orders');
  readonly orderItems = new Collection<StoredOrderItem>(this, 'orderItems');
  readonly reviews = new Collection<StoredReview>(this, 'reviews');
  readonly rewards = new Collection<StoredReward>(this, 'rewards');
  readonly bulks = new Collection<StoredBulk>(this, 'bulks');
  readonly hints = new Collection<StoredHint>(this, 'hints');

  readonly #database: Database;
  readonly #statements = new Map<string, ReturnType<Database['prepare']>>();
  /** Values derived from the records since the last write. */
  readonly #derived = new Map<string, unknown>();
  readonly #path: string | undefined;
  /** SQLite's data version. It changes when another process writes to the file. */
  readonly #version: unknown;
  /** True if the current transaction changed a record. */
  #hasWritten = false;
  #lastId: number;

  private constructor(database: Database, path?: string) {
    this.#database = database;
    this.#path = path;
    database.function('plain', { deterministic: true }, plainText);
    this.#version = readPragma(database, 'data_version');
    // A bulk has the id of its first job, and its other jobs have the ids that follow.
    const lastIdIn = (name: CollectionName) =>
      name === 'bulks' ? `id + json_array_length(document, '$.jobs') - 1` : 'id';
    const newest = collectionNames
      .map((name) => `SELECT max(${lastIdIn(name)}) AS id FROM ${name}`)
      .join(' UNION ALL ');
    this.#lastId = database.prepare(`SELECT max(id) AS id FROM (${newest})`).get().id ?? lastIdOfNone;
  }

  /**
   * Opens or creates the file at `path`. Without a path, the state is in memory.
   * @throws Failure if the file cannot be used, or is not a data file of a sandbox.
   */
  static async open(path: string | undefined): Promise<State> {
    if (path === undefined) {
      const memory = await openMemoryDatabase();
      memory.exec(creation);
      return new State(memory);
    }
    const database = await openDatabase(path, { durability: 'process' });
    const isNew = database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
    if (isNew) transaction(database, () => database.exec(creation));
    else if (!isSandboxFile(database)) {
      database.close();
      throw new Failure(
        'unreadable-path',
        `${path} is not a data file of this sandbox`,
        'name another file; it is created if it does not exist',
      );
    }
    return new State(database, path);
  }

  /** True if no id was assigned yet. */
  get isEmpty(): boolean {
    return this.#lastId === lastIdOfNone;
  }

  /** The last id assigned. Ids increase in the order of creation, across all kinds of records. */
  get lastId(): number {
    return this.#lastId;
  }

  /** Assigns `count` ids and returns the first one. */
  nextId(count = 1): string {
    this.#lastId += count;
    return String(this.#lastId - count + 1);
  }

  /** The reviews of the product itself. */
  directReviews(product: StoredProduct): RatingTally {
    return this.#tally('= ?', product.id);
  }

  /** The reviews shown with the product: those of its group, if it has one, which all its products share. */
  sharedReviews(product: StoredProduct): RatingTally {
    return product.groupId === null ? this.directReviews(product) : this.groupReviews(product.groupId);
  }

  groupReviews(groupId: string): RatingTally {
    return this.#tally(
      `IN (SELECT document ->> 'id' FROM products WHERE document ->> 'groupId' = ?)`,
      groupId,
    );
  }

  #tally(products: string, id: string): RatingTally {
    const sql =
      `SELECT count(*) AS count, total(document ->> 'rating') AS ratingSum FROM reviews ` +
      `WHERE ${isCounted} AND document ->> 'productId' ${products}`;
    return this.derive(id, () => this.prepare(sql).get(id));
  }

  /** Returns a value derived from the records, cached until the next write. */
  derive<T>(name: string, make: () => T): T {
    if (this.#derived.has(name)) return this.#derived.get(name) as T;
    const made = make();
    if (this.#derived.size >= derivedMaximum) this.#derived.clear();
    this.#derived.set(name, made);
    return made;
  }

  /** The value of a setting stored in the file. */
  setting(name: string): string | undefined {
    return this.prepare('SELECT value FROM setting WHERE name = ?').get(name)?.value;
  }

  setSetting(name: string, value: string): void {
    this.prepare('INSERT OR REPLACE INTO setting VALUES (?, ?)').run(name, value);
  }

  /**
   * Runs `work`, keeps all of its writes or none, and returns its result. Within another transaction, it joins.
   * @throws Failure('locked') if another sandbox wrote to the file, because both assign the same ids.
   */
  transact<T>(work: () => T): T {
    if (this.#database.isTransaction) return work();
    this.#hasWritten = false;
    try {
      return transaction(this.#database, () => {
        const result = work();
        if (this.#hasWritten) this.#refuseOtherWriter();
        return result;
      });
    } catch (error) {
      this.#derived.clear();
      throw error;
    }
  }

  #refuseOtherWriter(): void {
    if (readPragma(this.#database, 'data_version') === this.#version) return;
    const message = `${this.#path} was changed by another sandbox`;
    throw new Failure('locked', message, 'stop both sandboxes and restart one of them');
  }

  /** Returns a statement, prepared on first use. */
  prepare(sql: string): ReturnType<Database['prepare']> {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  noteWrite(): void {
    this.#hasWritten = true;
    this.#derived.clear();
  }

  /** Closes the file. A state in memory stays readable. */
  close(): void {
    if (this.#path !== undefined) this.#database.close();
  }
}

function isSandboxFile(database: Database): boolean {
  return (
    readPragma(database, 'application_id') === applicationId &&
    readPragma(database, 'user_version') === formatVersion
  );
}
