import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { replaceAtomically } from '../../base/atomic-file.ts';
import { Failure, messageOf } from '../../base/failure.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Checkpoint } from './checkpoint.ts';

/** What a checkpoint is about: it says nothing of another shop, nor of a list that leaves other records out. */
export interface CheckpointSubject {
  readonly account: string;
  /** The filters as they were typed: `7d` is the same filter tomorrow. */
  readonly filters: JsonObject;
}

/** The format of the file. The first one knew neither times of what was seen nor clocks; any other is refused. */
const format = 2;

/** Where the checkpoint of one name is kept, for each list its own. */
export function checkpointPath(folder: string, list: string, name: string): string {
  return join(folder, `since-last-${list}-${name}.json`);
}

/**
 * The checkpoint at `path`, or undefined where there is none yet, or an empty file.
 * @throws Failure('config') where it cannot be read, or is about something else than `subject`.
 */
export function readCheckpoint(path: string, subject: CheckpointSubject): Checkpoint | undefined {
  if (!existsSync(path) || statSync(path).size === 0) return undefined;
  const { account, filters, ...checkpoint } = readContent(path);
  if (account !== subject.account) {
    throw refused(path, 'it is about the list of another account');
  }
  if (canonical(filters) !== canonical(subject.filters)) {
    throw refused(path, `it is about a list with ${inWords(filters)}`);
  }
  return checkpoint;
}

/**
 * Keeps a checkpoint for this user alone. The old one stays whole until the new one is on the disk.
 * @throws Failure('config') where it cannot be written.
 */
export function writeCheckpoint(
  path: string,
  { account, filters }: CheckpointSubject,
  { sinceMs, seen, clocks }: Checkpoint,
): void {
  const content = {
    format,
    account,
    filters,
    since: sinceMs === undefined ? null : new Date(sinceMs).toISOString(),
    clocks: clocks ?? null,
    seen: [...seen],
  };
  try {
    replaceAtomically(path, `${JSON.stringify(content)}\n`, 'power');
  } catch (error) {
    throw new Failure(
      'config',
      `the checkpoint of the list cannot be written to ${path}: ${messageOf(error)}`,
      'see that its disk has room and that you may write to its folder; the next run shows the same records again',
      { cause: error },
    );
  }
}

function readContent(path: string) {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw refused(path, messageOf(error));
  }
  if (!isJsonObject(content) || ![1, format].includes(Number(content['format']))) {
    throw refused(path, 'its format is unknown to this version');
  }
  const { account, filters, since } = content;
  const sinceMs = typeof since === 'string' ? Date.parse(since) : undefined;
  const seen = readSeen(content, sinceMs);
  const isValidated = typeof account === 'string' && isJsonObject(filters) && !Number.isNaN(sinceMs);
  if (!isValidated || seen === undefined) throw refused(path, 'it is damaged');
  return { account, filters, sinceMs, seen, clocks: readClocks(content) };
}

/** Keys with their times. The first format kept keys alone, of what was changed since. */
function readSeen({ seen }: JsonObject, sinceMs = 0): ReadonlyMap<string, number> | undefined {
  if (!Array.isArray(seen)) return undefined;
  const entries = seen.map((one: Json) => (Array.isArray(one) ? one : [one, sinceMs]));
  const areEntries = entries.every(([key, time]) => typeof key === 'string' && typeof time === 'number');
  return areEntries ? new Map(entries as [string, number][]) : undefined;
}

function readClocks({ clocks }: JsonObject): Checkpoint['clocks'] {
  if (!isJsonObject(clocks)) return undefined;
  const { serviceMs, ownMs } = clocks;
  return typeof serviceMs === 'number' && typeof ownMs === 'number' ? { serviceMs, ownMs } : undefined;
}

function refused(path: string, why: string): Failure {
  return new Failure(
    'config',
    `the checkpoint ${path} cannot be used: ${why}`,
    'choose another name for --since-last, or remove the file; either way the next run shows everything once more',
  );
}

/** The same text for the same filters, in whatever order they were typed. */
function canonical(filters: JsonObject): string {
  return JSON.stringify(Object.entries(filters).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function inWords(filters: JsonObject): string {
  const words = Object.entries(filters).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return words.length === 0 ? 'no filters' : `the filters ${words.join(', ')}`;
}
