import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { hasFields, isNumber, isText } from '../../base/json.ts';
import { timeInWords } from '../../base/korean-time.ts';
import { isThere, readRegularFile } from '../../base/regular-file.ts';
import { writeNote } from './folder-notes.ts';

/** The new place of a state that was kept in a folder. */
export interface MovedState {
  /** Identifies the move; the new state records the same id. */
  readonly move: string;
  /** The address of the schema. */
  readonly to: string;
  readonly shop: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly hasLedger: boolean;
  /**
   * True if the state is in use there. Until then the database has all of it or nothing, and only the database knows
   * which.
   */
  readonly isFinished: boolean;
}

/** The lock of a move. While it is held, nobody else uses the state, at either place. */
export const moveLockName = 'move';

/** The failure for using a database while a state is being moved there. */
export function beingMoved(path: string): Failure {
  return new Failure(
    'locked',
    `a state is being moved to ${path}`,
    'wait until that has ended, then run the same command again',
  );
}

/**
 * Records in the folder of a state that it is moving; from then on nothing in it is used. Survives a loss of power once
 * it returns.
 * @throws Failure('unwritable-path') if it cannot be written.
 */
export function writeMoved(folder: string, moved: MovedState): void {
  writeNote(movedPath(folder), `${JSON.stringify(moved)}\n`, 'names where the state is from now on');
}

/** Records that the state of a folder is still there, because its move has not arrived. */
export function removeMoved(folder: string): void {
  rmSync(movedPath(folder), { force: true });
}

/**
 * Reads where the state of this folder was moved; undefined if it was not.
 * @throws Failure('config') if the file cannot be read.
 */
export function readMoved(folder: string): MovedState | undefined {
  const path = movedPath(folder);
  if (!isThere(path)) return undefined;
  const moved = parsed(path);
  if (isMovedState(moved)) return moved;
  throw new Failure(
    'config',
    `${path}, which names where the state was moved, is damaged`,
    'restore a copy of it; its text names the move, the address, the shop and the time',
  );
}

/**
 * As `readMoved`.
 * @throws Failure('config') if only the database knows whether the state has arrived.
 */
export function endedMove(folder: string): MovedState | undefined {
  const moved = readMoved(folder);
  if (moved?.isFinished === false) throw interrupted(folder, moved);
  return moved;
}

/** @throws Failure('config') if the state of this folder was moved, or may have been. */
export function checkNotMoved(folder: string): void {
  const moved = endedMove(folder);
  if (moved === undefined) return;
  const { to, shop, atMs } = moved;
  throw new Failure(
    'config',
    `the state in ${folder} was moved to ${to} on ${timeInWords(atMs)}, and is no longer used`,
    hint`use it there: ${reviewctl`config set state ${to}`}, then ${reviewctl`config set shop ${shop}`}`,
  );
}

/** The failure for an unfinished move: only the database knows where the state is. */
export function interrupted(folder: string, { to, shop }: MovedState): Failure {
  return new Failure(
    'config',
    `the move of the state in ${folder} to ${to} was interrupted, and may have arrived`,
    hint`finish it: ${reviewctl`state move -c state=${to} -c shop=${shop}`}`,
  );
}

function movedPath(folder: string): string {
  return join(folder, 'moved.json');
}

function parsed(path: string): unknown {
  try {
    return JSON.parse(readRegularFile(path));
  } catch {
    return undefined;
  }
}

function isMovedState(value: unknown): value is MovedState {
  const isFlag = (field: unknown) => typeof field === 'boolean';
  return hasFields(value, {
    move: isText,
    to: isText,
    shop: isText,
    atMs: isNumber,
    hasLedger: isFlag,
    isFinished: isFlag,
  });
}
