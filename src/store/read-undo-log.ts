import { createReadStream } from 'node:fs';
import { Failure, messageOf } from '../base/failure.ts';
import { isJsonObject, type Json } from '../base/json.ts';
import type { UpdatedRecord } from './undo-log.ts';
import { type UndoLogName, undoLogPath } from './undo-log-files.ts';

/** A record of an undo log. */
export interface UndoRecord extends UpdatedRecord {
  /** Whether the run created it, which nothing undoes. */
  readonly wasCreated: boolean;
}

/**
 * The records in the files of an undo log, many at a time, each file in the order in which it was written. A last line that is not whole
 * was never followed by a write, and is passed over.
 * @throws Failure('unreadable-path') where a file cannot be read, or is damaged.
 */
export async function* readUndoLog(
  folder: string,
  names: readonly UndoLogName[],
): AsyncGenerator<readonly UndoRecord[]> {
  for (const name of names) {
    const wasCreated = name.holds === 'creations';
    for await (const records of readFile(undoLogPath(folder, name))) {
      yield records.map((record) => ({ ...record, wasCreated }));
    }
  }
}

async function* readFile(path: string): AsyncGenerator<readonly UpdatedRecord[]> {
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
      `${path}, which holds what the run replaced, cannot be read: ${messageOf(error)}`,
      'restore it from a backup; without it the earlier values have to be pushed from a file',
      { cause: error },
    );
  }
}

function readRecord(line: string): UpdatedRecord {
  const record: unknown = JSON.parse(line);
  if (!isRecord(record)) throw new Error(`not a record: ${line.slice(0, 80)}`);
  return record;
}

function isRecord(value: unknown): value is UpdatedRecord {
  if (!isJsonObject(value)) return false;
  const { file, line, originId, id, changes = {} } = value;
  const areTexts = [file, originId, id].every((text) => typeof text === 'string');
  return (
    areTexts && typeof line === 'number' && isJsonObject(changes) && Object.values(changes).every(isChange)
  );
}

function isChange(change: Json | undefined): boolean {
  return isJsonObject(change) && change['from'] !== undefined && change['to'] !== undefined;
}
