import { createReadStream } from 'node:fs';
import { Failure, messageOf } from '../../base/failure.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import type { UndoRecord } from './undo-log.ts';
import { type UndoLogName, undoLogPath } from './undo-log-files.ts';

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
  if (!isJsonObject(value)) return false;
  const { kind, file, line, originId, id, changes } = value;
  const isPlaced = [file, originId, id].every((text) => typeof text === 'string') && typeof line === 'number';
  if (kind !== 'updated') return isPlaced && (kind === 'created' || kind === 'unseen');
  return isPlaced && isJsonObject(changes) && Object.values(changes).every(isChange);
}

function isChange(change: Json | undefined): boolean {
  return isJsonObject(change) && change['from'] !== undefined && change['to'] !== undefined;
}
