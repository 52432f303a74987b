import { Failure } from '../../src/base/failure.ts';
import type { Ledger } from '../../src/store/ledger/ledger.ts';
import { postgresLedgerLocation } from '../../src/store/ledger/ledger-location.ts';
import { anyServer, openPostgresLedger } from '../../src/store/ledger/ledger-server.ts';
import { type Connection, connect } from '../../src/store/sql/connection.ts';
import { makeTablesAt } from '../store/postgres-place.ts';
import type { PostgresServer } from '../store/postgres-server.ts';
import { nowMs } from './entries.ts';
import type { CommitFate } from './flaky-disk.ts';
import { ledgerInTurns } from './ledger-in-turns.ts';
import type { Schedule } from './schedule.ts';
import type { ScheduleGround } from './schedule-ground.ts';
import type { LedgerSeat, ScheduleDisk, ScheduleLedgers } from './schedule-ledgers.ts';

const schema = 'reviewctl_schedules';

/**
 * Ledgers in PostgreSQL, one after another in the same tables. Sessions stay open, because opening one costs more than
 * a schedule.
 */
export async function openPostgresGround(
  server: PostgresServer,
  folder: string,
): Promise<ScheduleGround & { readonly close: () => Promise<void> }> {
  const url = server.url(`&schema=${schema}`);
  const location = postgresLedgerLocation(folder, folder, { url, password: undefined, shop: 'shop' });
  const connection = await connect(location);
  await makeTablesAt(location, 'schedules');
  // Events cannot be deleted normally; here they are, before each schedule.
  await connection.query('SET session_replication_role = replica');
  const sessions: Ledger[] = [];
  let current: Schedule | undefined;
  const now = () => current?.nowMs ?? nowMs;
  const clock = { now, monotonicMs: now, sleep: async () => undefined };
  return {
    openLedgers: async (schedule, { disk }) => {
      current = schedule;
      await empty(connection);
      await sessions[0]?.unfreeze();
      let taken = 0;
      const openNext = async () => {
        taken += 1;
        return (
          sessions[taken - 1] ??
          kept(sessions, await openPostgresLedger(location, { clock, acceptSession: anyServer }))
        );
      };
      return new ServerLedgers(schedule, disk, openNext);
    },
    close: async () => {
      for (const ledger of sessions) await ledger.close();
      await connection.close();
    },
  };
}

function kept<T>(all: T[], one: T): T {
  all.push(one);
  return one;
}

/** Deletes everything in a ledger except its identity. */
async function empty(connection: Connection): Promise<void> {
  const rows = await connection.query<{ readonly name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 AND tablename <> $2',
    [schema, 'meta'],
  );
  const tables = rows.map(({ name }) => `${schema}.${name}`).join(', ');
  await connection.query(`TRUNCATE ${tables}`);
}

/** The ledger of one schedule; each process has its own sessions. */
class ServerLedgers implements ScheduleLedgers {
  readonly #schedule: Schedule;
  readonly #disk: ScheduleDisk;
  readonly #openNext: () => Promise<Ledger>;
  readonly #free: LedgerSeat[] = [];

  constructor(schedule: Schedule, disk: ScheduleDisk, openNext: () => Promise<Ledger>) {
    this.#schedule = schedule;
    this.#disk = disk;
    this.#openNext = openNext;
  }

  async take(run: string): Promise<LedgerSeat> {
    const free = this.#free.pop();
    if (free !== undefined) return Object.assign(free, { run });
    const seat = { run, path: schema };
    return Object.assign(seat, { ledger: this.#inTurns(await this.#openNext(), seat) });
  }

  leave(seat: LedgerSeat): void {
    this.#free.push(seat);
  }

  copy(): string {
    throw new Error('a ledger in PostgreSQL has no file to copy');
  }

  async moveTo(): Promise<void> {
    throw new Error('a ledger in PostgreSQL has no file to move');
  }

  async close(): Promise<void> {
    // The next schedule reuses the sessions.
  }

  #inTurns(ledger: Ledger, seat: { readonly run: string }): Ledger {
    return ledgerInTurns(ledger, this.#schedule, seat, async (rewardId, step, options) => {
      const fate = this.#nextFate();
      if (fate === 'busy' || fate === 'full' || fate === 'fails') throw lost();
      const stepped = await ledger.change(rewardId, step, options);
      if (fate !== 'written') throw lost();
      return stepped;
    });
  }

  #nextFate(): CommitFate {
    const { percent, troubles } = this.#disk;
    return this.#schedule.fails(percent) ? this.#schedule.pick(troubles) : 'written';
  }
}

/** The error that a process receives after its session ended, whether or not its change was made. */
function lost(): Failure {
  return new Failure('unreachable-state', 'the session ended', 'run the same command again');
}
