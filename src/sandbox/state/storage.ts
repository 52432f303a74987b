import { Failure } from '../../base/failure.ts';
import { type Database, openDatabase, transaction } from '../../base/sqlite.ts';
import type { Change, CollectionName, Records, World } from './state.ts';

/** Says whose file this is, so that no other database is taken for one, and which layout its documents have. */
const applicationId = 0x72767362;
const formatVersion = 2;

/** In the order in which they are restored: a review needs its product to be counted. */
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

/**
 * The world in a file. What `save` was given is durable when it returns: it survives a kill of the process, though not
 * a loss of power.
 */
export class Storage {
  readonly #database: Database;
  readonly #path: string;
  /** What SQLite shows as long as nobody else writes to the file. */
  readonly #version: number;

  private constructor(database: Database, path: string) {
    this.#database = database;
    this.#path = path;
    this.#version = dataVersion(database);
  }

  /** Throws a Failure where the file cannot be used or is the database of something else. */
  static async open(path: string): Promise<Storage> {
    const database = await openDatabase(path, { durability: 'process' });
    if (isNew(database)) database.exec(creation);
    else if (!isOurs(database)) {
      database.close();
      throw new Failure(
        'unreadable-path',
        `${path} is not a data file of this sandbox`,
        'name another file; it is created when it does not exist',
      );
    }
    return new Storage(database, path);
  }

  /** Fills an empty world with what was saved. */
  restore(world: World): void {
    const select = this.#database.prepare('SELECT document FROM record WHERE collection = ? ORDER BY id');
    for (const name of collectionNames) {
      for (const { document } of select.iterate(name)) restoreRecord(world, name, document);
    }
  }

  /** The credential of this world, so that its clients are known again after a restart; of a new one it is `made`. */
  credential(made: string): string {
    const kept = this.#database.prepare('SELECT token FROM credential').get();
    if (kept !== undefined) return kept.token;
    this.#database.prepare('INSERT INTO credential VALUES (?)').run(made);
    return made;
  }

  /** Saves a world of which nothing was saved yet. */
  fill(world: World): void {
    transaction(this.#database, () => {
      const put = this.#database.prepare('INSERT INTO record VALUES (?, ?, ?)');
      for (const name of collectionNames) {
        for (const record of world[name].values()) put.run(name, Number(record.id), JSON.stringify(record));
      }
    });
  }

  /** Throws a Failure `locked` where another sandbox has written to the file: the two know different worlds. */
  save(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    transaction(this.#database, () => {
      if (dataVersion(this.#database) !== this.#version) {
        const message = `${this.#path} was changed by another sandbox`;
        throw new Failure('locked', message, 'stop both and start one of them again');
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

function isOurs(database: Database): boolean {
  const { application_id: application } = database.prepare('PRAGMA application_id').get();
  const { user_version: version } = database.prepare('PRAGMA user_version').get();
  return application === applicationId && version === formatVersion;
}

function dataVersion(database: Database): number {
  return database.prepare('PRAGMA data_version').get().data_version;
}

/** The file is written by this module alone, so a document is what its collection says. */
function restoreRecord<N extends CollectionName>(world: World, name: N, document: string): void {
  const record: Records[N] = JSON.parse(document);
  world.restore(name, record);
}
