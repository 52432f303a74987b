import { seededRandom } from '../../src/base/random.ts';
import type { Ledger } from '../../src/store/ledger.ts';
import { openSqliteLedger } from '../../src/store/sqlite-ledger.ts';
import { type CommitFate, flakyDisk } from './flaky-disk.ts';
import type { Schedule } from './schedule.ts';

/** A connection to the ledger, in use by one process at a time. */
export interface LedgerSeat {
  readonly ledger: Ledger;
  run: string;
}

/** The disk of a schedule: how many of a hundred commits fail, and how, each way as likely as the other. */
export interface ScheduleDisk {
  readonly percent: number;
  readonly troubles: readonly [CommitFate, ...CommitFate[]];
}

/** The ledger in a file, each process with a connection of its own. */
export class ScheduleLedgers {
  readonly #schedule: Schedule;
  readonly #path: string;
  readonly #disk: ScheduleDisk;
  readonly #all: Ledger[] = [];
  readonly #free: LedgerSeat[] = [];

  constructor(schedule: Schedule, path: string, disk: ScheduleDisk) {
    this.#schedule = schedule;
    this.#path = path;
    this.#disk = disk;
  }

  /** A new connection, or that of a process which ended well: opening costs more than everything else. */
  async take(run: string): Promise<LedgerSeat> {
    const free = this.#free.pop();
    return free === undefined ? this.#open(run) : Object.assign(free, { run });
  }

  /** Its process has ended, with nothing under way. */
  leave(seat: LedgerSeat): void {
    this.#free.push(seat);
  }

  async close(): Promise<void> {
    for (const ledger of this.#all) await ledger.close();
  }

  async #open(run: string): Promise<LedgerSeat> {
    const schedule = this.#schedule;
    const { percent, troubles } = this.#disk;
    const user = { run };
    const ledger = await openSqliteLedger(this.#path, {
      clock: {
        now: () => schedule.nowMs,
        sleep: (ms, signal) => schedule.clockOf(user.run).sleep(ms, signal),
      },
      random: seededRandom(this.#all.length),
      putOff: (commit) => {
        void schedule.turn(user.run, 'commits').then(commit);
      },
      transact: flakyDisk(() => (schedule.fails(percent) ? schedule.pick(troubles) : 'written')),
    });
    this.#all.push(ledger);
    return Object.assign(user, { ledger });
  }
}
