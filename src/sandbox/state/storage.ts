import { Failure } from '../../base/failure.ts';
import { type Database, openDatabase, transaction } from '../../base/sqlite.ts';
import type { CollectionName, State, StateChange, StateRecords } from './state.ts';

/** Identify the file as a sandbox's and the layout of its documents. */
const applicationId = 0x72767362;
const formatVersion = 2;

/** In the order of restoring: a review is counted for its product. */
const collectionNames: readonly CollectionName[] = [
  'products',
  'productGroups',
  'categories',
  'orders',
  'orderItems',
  'reviews',
  'rewards',
  'jobs',
  'hints',
];

const creation = `
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${formatVersion};
  CREATE TABLE record (
    collection TEXT NOT NULL,
    id INTEGER NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (collection, id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE credential (token TEXT NOT NULL) STRICT;
`;

/** Files of earlier versions have no such table; their clock was never moved. */
const clockCreation =
  'CREATE TABLE IF NOT EXISTS clock (id INTEGER PRIMARY KEY CHECK (id = 1), shift_ms INTEGER NOT NULL) STRICT';

/**
 * Persists the state in a file. Changes are durable when `save` returns: they survive a kill of the process, but not a
 * loss of power.
 */
export class Storage {
  readonly #database: Database;
  readonly #path: string;
  /** SQLite's data version, which stays the same while no other process writes to the file. */
  readonly #version: number;

  private constructor(database: Database, path: string) {
    this.#database = database;
    this.#path = path;
    this.#version = dataVersion(database);
  }

  /** @throws Failure if the file cannot be used or is not a data file of a sandbox. */
  static async open(path: string): Promise<Storage> {
    const database = await openDatabase(path, { durability: 'process' });
    if (isNew(database)) database.exec(creation);
    else if (!isSandboxFile(database)) {
      database.close();
      throw new Failure(
        'unreadable-path',
        `${path} is not a data file of this sandbox`,
        'name another file; it is created when it does not exist',
      );
    }
    database.exec(clockCreation);
    return new Storage(database, path);
  }

  /** By how much the clock was moved forward, in milliseconds. */
  get clockShiftMs(): number {
    return this.#database.prepare('SELECT shift_ms FROM clock').get()?.shift_ms ?? 0;
  }

  set clockShiftMs(ms: number) {
    this.#database.prepare('INSERT OR REPLACE INTO clock VALUES (1, ?)').run(ms);
  }

  /** Loads the saved records into an empty state. */
  restore(state: State): void {
    const select = this.#database.prepare('SELECT document FROM record WHERE collection = ? ORDER BY id');
    for (const name of collectionNames) {
      for (const { document } of select.iterate(name)) restoreRecord(state, name, document);
    }
  }

  /** The stored credential, so that clients can continue after a restart; a new file stores `made`. */
  credential(made: string): string {
    const kept = this.#database.prepare('SELECT token FROM credential').get();
    if (kept !== undefined) return kept.token;
    this.#database.prepare('INSERT INTO credential VALUES (?)').run(made);
    return made;
  }

  /** Saves a whole state to a new file. */
  fill(state: State): void {
    transaction(this.#database, () => {
      const put = this.#database.prepare('INSERT INTO record VALUES (?, ?, ?)');
      for (const name of collectionNames) {
        for (const record of state[name].values()) put.run(name, Number(record.id), JSON.stringify(record));
      }
    });
  }

  /** @throws Failure('locked') if another sandbox has written to the file, since their states differ. */
  save(changes: readonly StateChange[]): void {
    if (changes.length === 0) return;
    transaction(this.#database, () => {
      if (dataVersion(this.#database) !== this.#version) {
        const message = `${this.#path} was changed by another sandbox`;
        throw new Failure('locked', message, 'stop both sandboxes and restart one of them');
      }
      const put = this.#database.prepare('INSERT OR REPLACE INTO record VALUES (?, ?, ?)');
      const remove = this.#database.prepare('DELETE FROM record WHERE collection = ? AND id = ?');
      for (const { collection, id, record } of changes) {
        if (record) put.run(collection, Number(id), JSON.stringify(record));
        else remove.run(collection, Number(id));
      }
    });
  }

  close(): void {
    this.#database.close();
  }
}

function isNew(database: Database): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
}

function isSandboxFile(database: Database): boolean {
  const { application_id: application } = database.prepare('PRAGMA application_id').get();
  const { user_version: version } = database.prepare('PRAGMA user_version').get();
  return application === applicationId && version === formatVersion;
}

function dataVersion(database: Database): number {
  return database.prepare('PRAGMA data_version').get().data_version;
}

/** Only this module writes the file, so a document has the type of its collection. */
function restoreRecord<N extends CollectionName>(state: State, name: N, document: string): void {
  const record: StateRecords[N] = JSON.parse(document);
  state.restore(name, record);
}
