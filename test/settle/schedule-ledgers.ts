import { cpSync, existsSync, rmSync } from 'node:fs';
import type { Clock } from '../../src/base/clock.ts';
import { moveLedger } from '../../src/store/ledger/install-ledger.ts';
import { judgeLedger } from '../../src/store/ledger/judge-ledger.ts';
import type { Ledger } from '../../src/store/ledger/ledger.ts';
import { fileHome, openLedgerFile } from '../../src/store/ledger/ledger-file.ts';
import { openLedgerIn } from '../../src/store/ledger/open-ledger.ts';
import { groundOf, openAnyLedger } from '../store/open-ledger-place.ts';
import { type CommitFate, flakyDisk } from './flaky-disk.ts';
import { ledgerInTurns } from './ledger-in-turns.ts';
import type { Schedule } from './schedule.ts';

/** The location of a ledger, and of its mark if it has one. */
export interface LedgerFiles {
  readonly folder: string;
  readonly path: string;
  readonly marksPath?: string;
}

export const origin = 'https://service.example';

/** A connection to the ledger, used by one process at a time. */
export interface LedgerSeat {
  readonly ledger: Ledger;
  readonly path: string;
  run: string;
}

/** The disk of a schedule: the percentage of failed commits, and their equally likely kinds. */
export interface ScheduleDisk {
  readonly percent: number;
  readonly troubles: readonly [CommitFate, ...CommitFate[]];
}

/** The ledgers of one schedule, for all its processes. */
export interface ScheduleLedgers {
  /** A new connection, or that of a process that ended normally, because opening costs more than everything else. */
  take(run: string): Promise<LedgerSeat>;
  /** Returns the connection of a process that ended normally. */
  leave(seat: LedgerSeat): void;
  /** Copies the current ledger; returns the path of the copy. */
  copy(): string;
  /** Moves to a copy as a person does, who must confirm before it takes effect. */
  moveTo(copy: string, confirmed: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** A ledger file with a connection for each process. */
export class FileLedgers implements ScheduleLedgers {
  readonly #schedule: Schedule;
  readonly #marksPath: string | undefined;
  readonly #disk: ScheduleDisk;
  readonly #all: Ledger[] = [];
  readonly #folder: string;
  #path: string;
  #free: LedgerSeat[] = [];

  constructor(schedule: Schedule, { folder, path, marksPath }: LedgerFiles, disk: ScheduleDisk) {
    this.#schedule = schedule;
    this.#folder = folder;
    this.#path = path;
    this.#marksPath = marksPath;
    this.#disk = disk;
  }

  async take(run: string): Promise<LedgerSeat> {
    const free = this.#free.pop();
    return free === undefined ? this.#open(run) : Object.assign(free, { run });
  }

  leave(seat: LedgerSeat): void {
    if (seat.path === this.#path) this.#free.push(seat);
  }

  async close(): Promise<void> {
    for (const ledger of this.#all) await ledger.close();
    rmSync(this.#folder, { recursive: true });
  }

  copy(): string {
    const copy = `${this.#path}.copy`;
    cpSync(this.#path, copy);
    if (existsSync(`${this.#path}-wal`)) cpSync(`${this.#path}-wal`, `${copy}-wal`);
    return copy;
  }

  async moveTo(copy: string, confirmed: () => Promise<void>): Promise<void> {
    const marksPath = this.#marksPath;
    if (marksPath === undefined) throw new Error('a ledger without a mark cannot be moved');
    const now = () => this.#schedule.nowMs;
    const clock = { now, monotonicMs: now, sleep: async () => undefined };
    const { ledger, standing } = await this.#schedule.aside(
      openAnyLedger(copy, { origin, marksPath, clock }),
    );
    this.#all.push(ledger);
    if (standing.kind !== 'elsewhere') return;
    await confirmed();
    await this.#schedule.aside(moveLedger(ledger, groundOf(copy, { marksPath, clock })));
    this.#path = copy;
    this.#free = [];
  }

  async #open(run: string): Promise<LedgerSeat> {
    const schedule = this.#schedule;
    const { percent, troubles } = this.#disk;
    const path = this.#path;
    const user = { run };
    const now = () => schedule.nowMs;
    const clock = { now, monotonicMs: now, sleep: async () => undefined };
    const nextFate = () => (schedule.fails(percent) ? schedule.pick(troubles) : 'written');
    const ledger = await this.#openOnDisk(path, clock, nextFate);
    this.#all.push(ledger);
    return Object.assign(user, { ledger: ledgerInTurns(ledger, schedule, user), path });
  }

  /** The ledger of a process on an unreliable disk, which decides the fate of each write. */
  async #openOnDisk(path: string, clock: Clock, nextFate: () => CommitFate): Promise<Ledger> {
    const sql = await openLedgerFile(path, clock);
    const ledger = await openLedgerIn(flakyDisk(sql, nextFate), fileHome(path), clock);
    const marksPath = this.#marksPath;
    if (marksPath === undefined) return ledger;
    const ground = groundOf(path, { marksPath, clock });
    const judged = await judgeLedger(ledger, ground, { origin, clock });
    if (judged.standing.kind === 'current') return judged.ledger;
    await judged.ledger.close();
    throw judged.standing.failure;
  }
}
