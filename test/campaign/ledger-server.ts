import { execFileSync } from 'node:child_process';
import { appendFileSync, chownSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { type PostgresServer, postgresUser, userOfServer } from '../store/postgres-server.ts';

/**
 * Ways to put a ledger in PostgreSQL back to an earlier state: an old copy of the server's folder, the same on another
 * timeline (like a lagging replica after a failover), or a dump of its schema.
 */
export const restoreWays = ['folder', 'failover', 'dump'] as const;

export type RestoreWay = (typeof restoreWays)[number];

export interface LedgerBackup {
  readonly way: RestoreWay;
  readonly atMs: number;
  /** The folder of the copy, or the text of the dump. */
  readonly content: string;
}

/** Attempts to drop a schema that others keep busy. */
const dropsMaximum = 10;

/** The server and the schema of a ledger, as seen by their administrator. */
export class LedgerServer {
  readonly #server: PostgresServer;
  readonly #bin: string;
  readonly #schema: string;
  #busy: Promise<unknown> = Promise.resolve();
  #copies = 0;

  /** `bin` is the folder of the server's programs. */
  constructor(server: PostgresServer, bin: string, schema: string) {
    this.#server = server;
    this.#bin = bin;
    this.#schema = schema;
  }

  /** Crashes the server and starts it again. */
  crash(): Promise<void> {
    return this.#alone(async () => {
      await this.#server.stop('immediate');
      await this.#server.start();
    });
  }

  /** Makes a backup. Calls `read` while nothing is recorded that the backup lacks. */
  backUp(way: RestoreWay, read: () => Promise<void>): Promise<LedgerBackup> {
    return this.#alone(async () => {
      let content = '';
      await this.#holding(async () => {
        await read();
        content = way === 'dump' ? this.#dump() : await this.#copyFolder();
      });
      return { way, atMs: Date.now(), content };
    });
  }

  /** Replaces the ledger by a backup. Calls `read` once nothing more is recorded in the lost ledger. */
  restore({ way, content }: LedgerBackup, read: () => Promise<void>): Promise<void> {
    return this.#alone(() =>
      way === 'dump'
        ? this.#replaceSchema(read, withoutCommands(content))
        : this.#holding(async () => {
            await read();
            await this.#server.stop('immediate');
            await this.#putBack(content, way);
          }),
    );
  }

  /** Drops the schema. `read` as for `restore`. */
  drop(read: () => Promise<void>): Promise<void> {
    return this.#alone(() => this.#replaceSchema(read, ''));
  }

  /** Loads a dump into a dropped schema. */
  refill({ content }: LedgerBackup): Promise<void> {
    return this.#alone(() =>
      this.#connected(async (client) => {
        await client.query(`BEGIN; ${withoutCommands(content)}; COMMIT`);
      }),
    );
  }

  /** Calls `read` while nothing is recorded in the ledger. */
  still(read: () => Promise<void>): Promise<void> {
    return this.#alone(() => this.#holding(read));
  }

  /** True if a machine's state is being moved here. */
  async isMoveAnnounced(): Promise<boolean> {
    try {
      const moving = `SELECT 1 FROM ${this.#schema}.state WHERE incoming IS NOT NULL`;
      return (await this.#server.ask(moving)).length > 0;
    } catch {
      // The tables do not exist yet.
      return false;
    }
  }

  /** Runs work one after the other: a stopped server cannot be backed up. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#busy.then(work);
    this.#busy = done.catch(() => undefined);
    return done;
  }

  async #copyFolder(): Promise<string> {
    this.#copies += 1;
    const copy = join(this.#server.folder, `copy-${this.#copies}-${this.#schema}`);
    await this.#server.stop('fast');
    copyFolder(this.#server.data, copy);
    await this.#server.start();
    return copy;
  }

  async #putBack(copy: string, way: RestoreWay): Promise<void> {
    const { data } = this.#server;
    rmSync(data, { recursive: true });
    copyFolder(copy, data);
    if (way === 'failover') endRecoveryAtOnce(data);
    await this.#server.start();
  }

  #dump(): string {
    const { folder } = this.#server;
    const args = ['-h', folder, '-U', postgresUser, '-n', this.#schema, '--inserts', 'postgres'];
    // Beside the real program, since the folder may contain links to some programs only.
    const bin = dirname(realpathSync(join(this.#bin, 'postgres')));
    return execFileSync(join(bin, 'pg_dump'), args, { encoding: 'utf8' });
  }

  /** Terminates sessions that wait for the ledger, since this would wait for them in turn. */
  async #replaceSchema(read: () => Promise<void>, sql: string): Promise<void> {
    for (let drop = 1; ; drop += 1) {
      try {
        await this.#holding(async (client) => {
          await read();
          await client.query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE backend_type = 'client backend' AND pid <> pg_backend_pid();
             DROP SCHEMA ${this.#schema} CASCADE; ${sql}`,
          );
        });
        return;
      } catch (error) {
        if (drop === dropsMaximum) throw error;
      }
    }
  }

  /** Runs `work` in a transaction that keeps others from recording anything. */
  #holding(work: (client: Client) => Promise<void>): Promise<void> {
    return this.#connected(async (client, isLost) => {
      await client.query(`BEGIN; LOCK TABLE ${this.#schema}.event IN SHARE MODE`);
      await work(client);
      if (!isLost()) await client.query('COMMIT');
    });
  }

  async #connected(work: (client: Client, isLost: () => boolean) => Promise<void>): Promise<void> {
    const client = new Client({ host: this.#server.folder, user: postgresUser, database: 'postgres' });
    let isLost = false;
    // The server may be stopped meanwhile.
    client.on('error', () => {
      isLost = true;
    });
    await client.connect();
    try {
      await work(client, () => isLost);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** Keeps owners and times, like `cp -a`. */
function copyFolder(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to]);
}

/** Makes a server recover from an empty archive, which ends in another timeline. */
function endRecoveryAtOnce(data: string): void {
  const signal = join(data, 'recovery.signal');
  writeFileSync(signal, '');
  const { uid, gid } = userOfServer();
  if (uid !== undefined && gid !== undefined) chownSync(signal, uid, gid);
  // It rejects readers until it has recovered.
  appendFileSync(join(data, 'postgresql.auto.conf'), "restore_command = 'false'\nhot_standby = off\n");
}

/** The SQL of a dump, without psql commands. */
function withoutCommands(dump: string): string {
  return dump.replaceAll(/^\\.*$/gm, '');
}
