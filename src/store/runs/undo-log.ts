import { appendFileSync, closeSync, createReadStream, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../../base/atomic-file.ts';
import { Failure, messageOf } from '../../base/failure.ts';
import { hasFields, isJsonObject, isNumber, isText, type Json } from '../../base/json.ts';
import { lastDayOf, sweepUndoLogs, type UndoLogName, undoLogPath } from './undo-log-files.ts';

/** A record of the service that a run wrote, and its position in the run's input. */
interface WrittenRecord {
  readonly file: string;
  readonly line: number;
  readonly originId: string;
  /** The service's id of the record. */
  readonly id: string;
}

/** A record whose earlier values are known. */
export interface UpdatedRecord extends WrittenRecord {
  readonly kind: 'updated';
  /** For an order item: the service's id of its order. */
  readonly orderId?: string;
  /** The old and new value of each changed field. */
  readonly changes: Readonly<Record<string, { readonly from: Json; readonly to: Json }>>;
}

/** A record that cannot be restored: the run created it, or changed it without reading it first. */
export interface LastingRecord extends WrittenRecord {
  readonly kind: 'created' | 'unseen';
}

export type UndoRecord = UpdatedRecord | LastingRecord;

/**
 * Keeps the values that a run replaces, so that they can be restored. No update is sent before its old values are kept.
 * An update that provably did not happen is cancelled: another run, or a person, may have made the same change, which
 * this run must not undo. An update with an unknown outcome counts as done.
 */
export interface UndoLog {
  /**
   * Call before an update is sent. Once it resolves, the record survives the end of this process at any time.
   * @throws Failure('unwritable-path') if it cannot be kept.
   */
  beforeUpdate(record: UpdatedRecord): Promise<void>;
  /** Call after an update that was refused or never sent. @throws as `beforeUpdate`. */
  cancelUpdate(record: UpdatedRecord): Promise<void>;
  /** Call after a write that cannot be undone, so that it can be reported. @throws as `beforeUpdate`. */
  afterWrite(record: LastingRecord): Promise<void>;
}

/** Keeps nothing. */
export const noUndoLog: UndoLog = {
  beforeUpdate: async () => undefined,
  cancelUpdate: async () => undefined,
  afterWrite: async () => undefined,
};

/** The undo log of a run in progress. */
export interface RunUndoLog extends UndoLog {
  /** The last day on which the run can be undone; undefined while there is nothing to restore. */
  readonly undoableUntil: string | undefined;
  close(): Promise<void>;
}

/** Retention of the values that a run replaces. */
export interface UndoLogOptions {
  readonly run: string;
  readonly nowMs: number;
  /** 0 keeps nothing. */
  readonly days: number;
}

/**
 * Opens the undo log of a run in the state folder; its files are created with the first record. Deletes expired logs of
 * earlier runs.
 */
export function openUndoLog(folder: string, options: UndoLogOptions): RunUndoLog {
  sweepUndoLogs(folder, options.nowMs);
  return options.days > 0 ? new KeptUndoLog(folder, options) : unkept;
}

const unkept: RunUndoLog = { ...noUndoLog, undoableUntil: undefined, close: async () => undefined };

class KeptUndoLog implements RunUndoLog {
  readonly #run: string;
  readonly #lastDay: string;
  readonly #updates: LineFile;
  readonly #cancelled: LineFile;
  readonly #others: LineFile;
  undoableUntil: string | undefined;

  constructor(folder: string, { run, nowMs, days }: UndoLogOptions) {
    this.#run = run;
    this.#lastDay = lastDayOf(nowMs, days);
    const name = { run, lastDay: this.#lastDay };
    this.#updates = new LineFile(undoLogPath(folder, { ...name, holds: 'updates' }));
    this.#cancelled = new LineFile(undoLogPath(folder, { ...name, holds: 'cancelled' }));
    this.#others = new LineFile(undoLogPath(folder, { ...name, holds: 'others' }));
  }

  async beforeUpdate(record: UpdatedRecord): Promise<void> {
    await this.#keep(this.#updates, record);
    this.undoableUntil = this.#lastDay;
  }

  cancelUpdate({ id }: UpdatedRecord): Promise<void> {
    return this.#keep(this.#cancelled, id);
  }

  afterWrite(record: LastingRecord): Promise<void> {
    return this.#keep(this.#others, record);
  }

  async close(): Promise<void> {
    for (const file of [this.#updates, this.#cancelled, this.#others]) file.close();
  }

  async #keep(lines: LineFile, record: UndoRecord | string): Promise<void> {
    try {
      lines.add(JSON.stringify(record));
    } catch (error) {
      throw new Failure(
        'unwritable-path',
        `the undo log of run ${this.#run} cannot be written to ${lines.path}: ${messageOf(error)}`,
        'free some space on its disk, then run the same command again; with -c undo-days=0 nothing is kept, and ' +
          'the run cannot be undone',
        { cause: error },
      );
    }
  }
}

/** A new file of lines that only this user can read. The file and its folder are created with the first line. */
class LineFile {
  readonly path: string;
  #file: number | undefined;
  #failed: { readonly error: unknown } | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /** The line survives the end of this process. A failed write may leave part of a line, so none is added after it. */
  add(line: string): void {
    if (this.#failed !== undefined) throw this.#failed.error;
    try {
      this.#file ??= this.#make();
      appendFileSync(this.#file, `${line}\n`);
    } catch (error) {
      this.#failed = { error };
      throw error;
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }

  #make(): number {
    makeFolder(dirname(this.path), 'process');
    return openSync(this.path, 'ax', 0o600);
  }
}

/**
 * Batches of the records in an undo log, each file in the order of writing, without cancelled updates. An incomplete
 * last line is skipped, because its write was never sent.
 * @throws Failure('unreadable-path') if a file cannot be read, or is damaged.
 */
export async function* readUndoLog(
  folder: string,
  names: readonly UndoLogName[],
): AsyncGenerator<readonly UndoRecord[]> {
  const pathsOf = (isWanted: (name: UndoLogName) => boolean) =>
    names.filter(isWanted).map((name) => undoLogPath(folder, name));
  const cancelled = new Set<string>();
  for (const path of pathsOf(({ holds }) => holds === 'cancelled'))
    for await (const ids of readFile(path, isText)) for (const id of ids) cancelled.add(id);
  const isLeft = ({ kind, id }: UndoRecord) => kind !== 'updated' || !cancelled.has(id);
  for (const path of pathsOf(({ holds }) => holds !== 'cancelled'))
    for await (const records of readFile(path, isRecord)) yield records.filter(isLeft);
}

async function* readFile<T>(
  path: string,
  isWhole: (value: unknown) => value is T,
): AsyncGenerator<readonly T[]> {
  let rest = '';
  try {
    for await (const piece of createReadStream(path, 'utf8')) {
      const lines = `${rest}${piece}`.split('\n');
      rest = lines.pop() ?? '';
      if (lines.length > 0) yield lines.map((line) => readLine(line, isWhole));
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

function readLine<T>(line: string, isWhole: (value: unknown) => value is T): T {
  const value: unknown = JSON.parse(line);
  if (!isWhole(value)) throw new Error(`not a record: ${line.slice(0, 80)}`);
  return value;
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
