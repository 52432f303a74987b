import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Failure, messageOf } from '../base/failure.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { ChangeMark } from './change-mark.ts';

/** What a mark is about: it says nothing of another shop, nor of a list that leaves other records out. */
export interface MarkSubject {
  readonly account: string;
  /** The filters as they were typed: `7d` is the same filter tomorrow. */
  readonly filters: JsonObject;
}

/** The form of the file; another one is refused. */
const format = 1;

/** Where the mark of one name is kept, for each list its own. */
export function changeMarkPath(folder: string, list: string, name: string): string {
  return join(folder, `since-last-${list}-${name}.json`);
}

/**
 * The mark at `path`, or undefined where there is none yet.
 * @throws Failure('config') where it cannot be read, or is about something else than `subject`.
 */
export function readChangeMark(path: string, subject: MarkSubject): ChangeMark | undefined {
  if (!existsSync(path)) return undefined;
  const { account, filters, sinceMs, seen } = readContent(path);
  if (account !== subject.account) {
    throw refused(path, 'it is about the list of another account');
  }
  if (canonical(filters) !== canonical(subject.filters)) {
    throw refused(path, `it is about a list with ${inWords(filters)}`);
  }
  return { sinceMs, seen: new Set(seen) };
}

/**
 * Keeps a mark for this user alone. The old one stays whole until the new one is on the disk.
 * @throws Failure('config') where it cannot be written.
 */
export function writeChangeMark(path: string, { account, filters }: MarkSubject, mark: ChangeMark): void {
  const content = {
    format,
    account,
    filters,
    since: new Date(mark.sinceMs).toISOString(),
    seen: [...mark.seen],
  };
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const file = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(file, `${JSON.stringify(content)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new Failure(
      'config',
      `how far the list was read cannot be kept in ${path}: ${messageOf(error)}`,
      'the next run shows the same records again; name a folder you may write to with REVIEWCTL_STATE_DIR',
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
  if (!isJsonObject(content) || content['format'] !== format)
    throw refused(path, 'it is none of this version');
  const { account, filters, since, seen } = content;
  const sinceMs = typeof since === 'string' ? Date.parse(since) : Number.NaN;
  const areKeys = Array.isArray(seen) && seen.every((key) => typeof key === 'string');
  if (typeof account !== 'string' || !isJsonObject(filters) || Number.isNaN(sinceMs) || !areKeys) {
    throw refused(path, 'it is damaged');
  }
  return { account, filters, sinceMs, seen: seen as readonly string[] };
}

function refused(path: string, why: string): Failure {
  return new Failure(
    'config',
    `${path}, which says how far the list was read, cannot be used: ${why}`,
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
