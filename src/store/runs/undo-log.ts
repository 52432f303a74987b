import { createReadStream } from 'node:fs';
import { Failure, messageOf } from '../../base/failure.ts';
import { hasFields, isJsonObject, isNumber, isText, type Json } from '../../base/json.ts';
import { AppendedLines } from './appended-lines.ts';
import { lastDayOf, sweepUndoLogs, type UndoLogName, undoLogPath } from './undo-log-files.ts';

/** A record of the service that a run wrote, and its place in the input of that run. */
interface WrittenRecord {
  readonly file: string;
  readonly line: number;
  readonly originId: string;
  /** The service's id of it. */
  readonly id: string;
}

/** A record of which it is known what the run replaced. */
export interface UpdatedRecord extends WrittenRecord {
  readonly kind: 'updated';
  /** Of an order item: the service's id of its order. */
  readonly orderId?: string;
  /** From what to what each field was changed. */
  readonly changes: Readonly<Record<string, { readonly from: Json; readonly to: Json }>>;
}

/** A record of which nothing can be written back: the run created it, or changed it without having seen it. */
export interface LastingRecord extends WrittenRecord {
  readonly kind: 'created' | 'unseen';
}

export type UndoRecord = UpdatedRecord | LastingRecord;

/**
 * What a run replaced, so that it can be written back. No update is sent before what it replaces is kept; what is kept
 * of an update that never happened does no harm, because writing back compares first.
 */
export interface UndoLog {
  /**
   * Before an update leaves. When this resolves, the record survives the end of this process at any instant.
   * @throws Failure('unwritable-path') where it cannot be kept.
   */
  beforeUpdate(record: UpdatedRecord): Promise<void>;
  /** After a write that cannot be undone, so that it can be named. @throws as `beforeUpdate`. */
  afterWrite(record: LastingRecord): Promise<void>;
}

/** Keeps nothing. */
export const noUndoLog: UndoLog = { beforeUpdate: async () => undefined, afterWrite: async () => undefined };

/** The undo log of a run that is under way. */
export interface RunUndoLog extends UndoLog {
  /** The last day on which the run can be undone; undefined as long as there is nothing to be written back. */
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
 * Opens the undo log of a run in the state folder; its files are made when there is something to keep. What was kept of
 * earlier runs, and for no longer than until now, is deleted.
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
  readonly #others: AppendedLines;
  undoableUntil: string | undefined;

  constructor(folder: string, { run, nowMs, days }: UndoLogOptions) {
    this.#run = run;
    this.#lastDay = lastDayOf(nowMs, days);
    const name = { run, lastDay: this.#lastDay };
    this.#updates = new AppendedLines(undoLogPath(folder, { ...name, holds: 'updates' }));
    this.#others = new AppendedLines(undoLogPath(folder, { ...name, holds: 'others' }));
  }

  async beforeUpdate(record: UpdatedRecord): Promise<void> {
    await this.#keep(this.#updates, record);
    this.undoableUntil = this.#lastDay;
  }

  afterWrite(record: LastingRecord): Promise<void> {
    return this.#keep(this.#others, record);
  }

  async close(): Promise<void> {
    await this.#updates.close();
    await this.#others.close();
  }

  async #keep(lines: AppendedLines, record: UndoRecord): Promise<void> {
    try {
      await lines.add(JSON.stringify(record));
    } catch (error) {
      throw new Failure(
        'unwritable-path',
        `the undo log of run ${this.#run} cannot be written to ${lines.path}: ${messageOf(error)}`,
        'free some room on its disk, then run the same command again; with -c undo-days=0 nothing is kept, and ' +
          'the run cannot be undone',
        { cause: error },
      );
    }
  }
}

/**
 * The records in the files of an undo log, many at a time, each file in the order in which it was written. A last line
 * that is not whole was never followed by a write, and is passed over.
 * @throws Failure('unreadable-path') where a file cannot be read, or is damaged.
 */
export async function* readUndoLog(
  folder: string,
  names: readonly UndoLogName[],
): AsyncGenerator<readonly UndoRecord[]> {
  for (const name of names) yield* readFile(undoLogPath(folder, name));
}

async function* readFile(path: string): AsyncGenerator<readonly UndoRecord[]> {
  let rest = '';
  try {
    for await (const piece of createReadStream(path, 'utf8')) {
      const lines = `${rest}${piece}`.split('\n');
      rest = lines.pop() ?? '';
      if (lines.length > 0) yield lines.map(readRecord);
    }
  } catch (error) {
    throw new Failure(
      'unreadable-path',
      `the undo log ${path} cannot be read: ${messageOf(error)}`,
      'restore it from a backup; without it the earlier values have to be pushed from a file',
      { cause: error },
    );
  }
}

function readRecord(line: string): UndoRecord {
  const record: unknown = JSON.parse(line);
  if (!isRecord(record)) throw new Error(`not a record: ${line.slice(0, 80)}`);
  return record;
}

function isRecord(value: unknown): value is UndoRecord {
  if (!hasFields(value, { file: isText, line: isNumber, originId: isText, id: isText })) return false;
  const { kind, changes } = value;
  if (kind !== 'updated') return kind === 'created' || kind === 'unseen';
  return isJsonObject(changes) && Object.values(changes).every(isChange);
}

function isChange(change: unknown): boolean {
  return isJsonObject(change) && change['from'] !== undefined && change['to'] !== undefined;
}
