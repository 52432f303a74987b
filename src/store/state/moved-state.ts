import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { replaceAtomically } from '../../base/atomic-file.ts';
import { Failure, messageOf } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { isJsonObject } from '../../base/json.ts';
import { timeInWords } from '../../base/korean-time.ts';
import { readRegularFile } from '../../base/regular-file.ts';

/** Where a state is now that was kept in a folder before. */
export interface MovedState {
  /** Identifies the move: the state that it made has the same. */
  readonly move: string;
  /** The address of the schema. */
  readonly to: string;
  readonly shop: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** Of a state with a ledger: why that was frozen before, if it was. */
  readonly ledger?: { readonly frozen: string | null };
}

/** The lock of those who move the state of a folder; a state is used by nobody else while it is held. */
export const moveLockName = 'move';

/**
 * Says in the folder of a state that it was moved: from then on nothing there is used. Survives a loss of power once it
 * returns.
 * @throws Failure('unwritable-path') where it cannot be written.
 */
export function writeMoved(folder: string, moved: MovedState): void {
  const path = movedPath(folder);
  try {
    replaceAtomically(path, `${JSON.stringify(moved)}\n`, 'power');
  } catch (error) {
    throw new Failure(
      'unwritable-path',
      `${path}, which names where the state is from now on, cannot be written: ${messageOf(error)}`,
      'see that its disk has room and that you may write to its folder, then run the same command again; until then ' +
        'the state in the folder is the one in use',
      { cause: error },
    );
  }
}

/**
 * Where the state of this folder was moved; undefined where it was not.
 * @throws Failure('config') where the file cannot be read.
 */
export function readMoved(folder: string): MovedState | undefined {
  const path = movedPath(folder);
  if (!existsSync(path)) return undefined;
  const moved = parsed(path);
  if (isMovedState(moved)) return moved;
  throw new Failure(
    'config',
    `${path}, which names where the state was moved, is damaged`,
    'bring back a copy of it; its text names the move, the address, the shop and the time',
  );
}

/** @throws Failure('config') where the state of this folder was moved. */
export function checkNotMoved(folder: string): void {
  const moved = readMoved(folder);
  if (moved === undefined) return;
  const { to, shop, atMs } = moved;
  throw new Failure(
    'config',
    `the state in ${folder} was moved to ${to} on ${timeInWords(atMs)}, and is not used any more`,
    hint`use it there: ${reviewctl`config set state ${to}`}, then ${reviewctl`config set shop ${shop}`}`,
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
  if (!isJsonObject(value)) return false;
  const { move, to, shop, atMs } = value;
  return [move, to, shop].every((text) => typeof text === 'string') && typeof atMs === 'number';
}
