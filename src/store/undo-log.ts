import { Failure, messageOf } from '../base/failure.ts';
import type { Json } from '../base/json.ts';
import { AppendedLines } from './appended-lines.ts';
import { lastDayOf, sweepUndoLogs, undoLogPath } from './undo-log-files.ts';

/** A record of the service that a run wrote, and where it stands in the input of that run. */
export interface WrittenRecord {
  readonly file: string;
  readonly line: number;
  readonly originId: string;
  /** The service's id of it. */
  readonly id: string;
}

/** A record that was there before the run. */
export interface UpdatedRecord extends WrittenRecord {
  /** Of an order item: the service's id of its order. */
  readonly orderId?: string;
  /** From what to what each field was changed; left out where the run did not know what it replaced. */
  readonly changes?: Readonly<Record<string, { readonly from: Json; readonly to: Json }>>;
}

/**
 * What a run replaced, so that it can be written back. A write never happens without what it replaced being kept; what is kept of a
 * write that never happened does no harm, because whoever writes back compares first.
 */
export interface UndoLog {
  /**
   * Before an update leaves. When this resolves, the record survives the end of this process at any instant.
   * @throws Failure('unwritable-path') where it cannot be kept.
   */
  updating(record: UpdatedRecord): Promise<void>;
  /** After a creation, so that it can be named as one that cannot be undone. @throws as `updating`. */
  created(record: WrittenRecord): Promise<void>;
}

/** Keeps nothing. */
export const noUndoLog: UndoLog = { updating: async () => undefined, created: async () => undefined };

/** The undo log of a run that is under way. */
export interface RunUndoLog extends UndoLog {
  /** The last day on which the run can be undone; undefined as long as it has changed nothing, or where nothing is kept. */
  readonly undoableUntil: string | undefined;
  close(): Promise<void>;
}

/** For how long what a run replaces is kept. */
export interface UndoLogOptions {
  readonly run: string;
  readonly nowMs: number;
  /** 0 keeps nothing. */
  readonly days: number;
}

/**
 * Opens the undo log of a run in the state folder; its files are made when there is something to keep. What was kept of earlier runs,
 * and for no longer than until now, is deleted.
 */
export function openUndoLog(folder: string, options: UndoLogOptions): RunUndoLog {
  sweepUndoLogs(folder, options.nowMs);
  return options.days > 0 ? new KeptUndoLog(folder, options) : unkept;
}

const unkept: RunUndoLog = { ...noUndoLog, undoableUntil: undefined, close: async () => undefined };

class KeptUndoLog implements RunUndoLog {
  readonly #run: string;
  readonly #lastDay: string;
  readonly #updates: AppendedLines;
  readonly #creations: AppendedLines;
  undoableUntil: string | undefined;

  constructor(folder: string, { run, nowMs, days }: UndoLogOptions) {
    this.#run = run;
    this.#lastDay = lastDayOf(nowMs, days);
    const name = { run, lastDay: this.#lastDay };
    this.#updates = new AppendedLines(undoLogPath(folder, { ...name, holds: 'updates' }));
    this.#creations = new AppendedLines(undoLogPath(folder, { ...name, holds: 'creations' }));
  }

  async updating(record: UpdatedRecord): Promise<void> {
    await this.#keep(this.#updates, record);
    this.undoableUntil = this.#lastDay;
  }

  created(record: WrittenRecord): Promise<void> {
    return this.#keep(this.#creations, record);
  }

  async close(): Promise<void> {
    await this.#updates.close();
    await this.#creations.close();
  }

  async #keep(lines: AppendedLines, record: WrittenRecord): Promise<void> {
    try {
      await lines.add(JSON.stringify(record));
    } catch (error) {
      throw new Failure(
        'unwritable-path',
        `what run ${this.#run} replaces cannot be kept in ${lines.path}: ${messageOf(error)}`,
        'free some room on its disk, then run the same command again; with --undo-days 0 nothing is kept, and the run cannot be undone',
        { cause: error },
      );
    }
  }
}
