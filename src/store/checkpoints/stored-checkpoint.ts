import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { replaceAtomically } from '../../base/atomic-file.ts';
import { Failure, messageOf } from '../../base/failure.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { isThere, readRegularFile } from '../../base/regular-file.ts';
import { askableSinceMs, type Checkpoint } from './checkpoint.ts';

/** The subject of a checkpoint, which is useless for another shop or for a list with other filters. */
export interface CheckpointSubject {
  readonly account: string;
  /** The filters as typed: `7d` is the same filter tomorrow. */
  readonly filters: JsonObject;
}

/** The place of the checkpoint of one list and name. */
export interface CheckpointPlace {
  /** The place as shown in messages. */
  readonly path: string;
  /**
   * Reads the last text; undefined if there is none.
   * @throws Failure('config') if it cannot be read.
   */
  read(): Promise<string | undefined>;
  /**
   * Replaces the text, private to this user. The old text stays intact until the new one survives a loss of power.
   * @throws Failure('config') if it cannot be written.
   */
  write(text: string): Promise<void>;
}

/** A checkpoint of a state. */
export interface NamedCheckpoint {
  readonly list: string;
  readonly name: string;
  readonly place: CheckpointPlace;
}

/** The format of the text. Any other is refused. */
const format = 2;

/**
 * Reads the checkpoint at a place; undefined if there is none yet.
 * @throws Failure('config') if it cannot be read, or has another subject.
 */
export async function readCheckpoint(
  place: CheckpointPlace,
  subject: CheckpointSubject,
): Promise<Checkpoint | undefined> {
  const text = await place.read();
  if (text === undefined) return undefined;
  const { account, filters, ...checkpoint } = readContent(place, text);
  if (account !== subject.account) {
    throw refused(place, 'it is about the list of another account');
  }
  if (canonical(filters) !== canonical(subject.filters)) {
    throw refused(place, `it is about a list with the filters ${JSON.stringify(filters)}`);
  }
  return checkpoint;
}

/** The start of the last reading by this machine's clock; undefined if it is not recorded. */
export async function lastReadingMs(place: CheckpointPlace): Promise<number | undefined> {
  const text = await place.read();
  return text === undefined ? undefined : readContent(place, text).clocks?.ownMs;
}

/** @throws as `CheckpointPlace.write`. */
export async function writeCheckpoint(
  place: CheckpointPlace,
  { account, filters }: CheckpointSubject,
  { sinceMs, seen, clocks }: Checkpoint,
): Promise<void> {
  const content = {
    format,
    account,
    filters,
    since: sinceMs === undefined ? null : new Date(sinceMs).toISOString(),
    clocks: clocks ?? null,
    seen: [...seen],
  };
  await place.write(`${JSON.stringify(content)}\n`);
}

function readContent(place: CheckpointPlace, text: string) {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw refused(place, messageOf(error));
  }
  if (!isJsonObject(content) || content['format'] !== format) {
    throw refused(place, `this version reads only format ${format}`);
  }
  const { account, filters, since } = content;
  const sinceMs = typeof since === 'string' ? askableSinceMs(Date.parse(since)) : undefined;
  const seen = readSeen(content);
  const isValidated = typeof account === 'string' && isJsonObject(filters) && !Number.isNaN(sinceMs);
  if (!isValidated || seen === undefined) throw refused(place, 'it is damaged');
  return { account, filters, sinceMs, seen, clocks: readClocks(content) };
}

/** Keys with their times. */
function readSeen({ seen }: JsonObject): ReadonlyMap<string, number> | undefined {
  return Array.isArray(seen) && seen.every(isSeen) ? new Map(seen) : undefined;
}

function isSeen(one: Json | readonly [string, number]): one is readonly [string, number] {
  return Array.isArray(one) && typeof one[0] === 'string' && typeof one[1] === 'number';
}

function readClocks({ clocks }: JsonObject): Checkpoint['clocks'] {
  if (!isJsonObject(clocks)) return undefined;
  const { serviceMs, ownMs } = clocks;
  return typeof serviceMs === 'number' && typeof ownMs === 'number' ? { serviceMs, ownMs } : undefined;
}

function refused({ path }: CheckpointPlace, why: string): Failure {
  return new Failure(
    'config',
    `the checkpoint ${path} cannot be used: ${why}`,
    'choose another name for --since-last, or remove it if it is a file; the next run then shows everything once more',
  );
}

/** A canonical text of filters, independent of the order in which they were typed. */
function canonical(filters: JsonObject): string {
  return JSON.stringify(Object.entries(filters).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The file name of a checkpoint, which is also the name of its lock. */
export function checkpointName(list: string, name: string): string {
  return `since-last-${list}-${name}.json`;
}

const namePattern = /^since-last-(?<list>[A-Za-z]+)-(?<name>.+)\.json$/;

/** The checkpoints in a folder of the state. */
export function checkpointsIn(folder: string): readonly NamedCheckpoint[] {
  if (!isThere(folder)) return [];
  return readdirSync(folder).flatMap((file) => {
    const { list, name } = namePattern.exec(file)?.groups ?? {};
    if (list === undefined || name === undefined) return [];
    return [{ list, name, place: checkpointFile(folder, list, name) }];
  });
}

/** The checkpoint of a list and a name in a folder of the state. */
export function checkpointFile(folder: string, list: string, name: string): CheckpointPlace {
  const path = join(folder, checkpointName(list, name));
  return {
    path,
    // An empty file counts as none.
    read: async () => (isThere(path) ? readText(path) || undefined : undefined),
    write: async (text) => {
      try {
        replaceAtomically(path, text, 'power');
      } catch (error) {
        throw new Failure(
          'config',
          `the checkpoint of the list cannot be written to ${path}: ${messageOf(error)}`,
          'check that its disk has free space and that you may write to its folder, then run the same command again',
          { cause: error },
        );
      }
    },
  };
}

function readText(path: string): string {
  try {
    return readRegularFile(path);
  } catch (error) {
    throw new Failure(
      'config',
      `the checkpoint ${path} cannot be read: ${messageOf(error)}`,
      'check that you may read it, or choose another name for --since-last, which shows everything once more',
      { cause: error },
    );
  }
}
