import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, readSync } from 'node:fs';
import { opendir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceAtomically } from '../base/atomic-file.ts';
import { isJsonObject } from '../base/json.ts';
import { processIdentity } from './process-identity.ts';
import type { ProgramEnd } from './run-payer-program.ts';

/*
 * What a called program leaves behind, one folder a key: `<attempt>.out` and `.err` are written by the program itself, `.pid` says which
 * process it is, `.end` how it ended, as far as somebody was there to see it.
 */

/** The last so many bytes of an output are read, in which the last line stands. */
const tailBytes = 64 * 1024;

/** Evidence that nobody asked for in so many days is of no use to anybody. */
const keptDays = 90;
const dayMs = 86_400_000;

/** The files of one call. */
export interface CallRecords {
  readonly stdout: string;
  readonly stderr: string;
  readonly pid: string;
  readonly end: string;
}

/** Where the files of a call are. The key becomes the name of a folder, so nothing else than a key may pass for one. */
export function callRecords(folder: string, key: string, attempt: number): CallRecords {
  const base = join(keyFolder(folder, key), String(attempt));
  return { stdout: `${base}.out`, stderr: `${base}.err`, pid: `${base}.pid`, end: `${base}.end` };
}

function keyFolder(folder: string, key: string): string {
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(key)) throw new Error(`'${key}' is no key of a payment`);
  return join(folder, key);
}

/** Makes the folder of a key, for this user alone. */
export function makeKeyFolder(folder: string, key: string): void {
  mkdirSync(keyFolder(folder, key), { recursive: true, mode: 0o700 });
}

/** Puts on record which process a call is, and how long it may take, in milliseconds. @throws where that cannot be told or written. */
export function writeProcess({ pid: path }: CallRecords, pid: number, timeoutMs: number): void {
  const identity = processIdentity(pid);
  if (identity === undefined) throw new Error(`the state of process ${pid} is unknown`);
  const { startedAt, proof } = identity;
  const record = { pid, startedAt, timeoutMs, namespace: proof?.namespace ?? null };
  replaceAtomically(path, JSON.stringify(record), 'process');
}

/** A program that runs on, whether or not the process that called it does. */
export interface RunningProgram {
  readonly kind: 'running';
  readonly pid: number;
  /** For how long it has run, in milliseconds; undefined where the system does not tell. */
  readonly ageMs: number | undefined;
  /** How long it may take, as the process that called it was told. */
  readonly timeoutMs: number | undefined;
  /** Whether the kernel proves that it is the program that was called, and that its group is its own. */
  readonly isProven: boolean;
}

/** Whether a call is on record, and its program where that still runs. */
export type CallState = { readonly kind: 'none' | 'ended' } | RunningProgram;

export function callState({ pid: path }: CallRecords): CallState {
  const record = readRecord(path);
  if (record === undefined) return { kind: 'none' };
  const { pid, startedAt, timeoutMs, namespace } = record;
  if (typeof pid !== 'number') return { kind: 'ended' };
  const identity = processIdentity(pid);
  if (identity === undefined || identity.startedAt !== startedAt || identity.hasEnded)
    return { kind: 'ended' };
  const { ageMs, proof } = identity;
  return {
    kind: 'running',
    pid,
    ageMs,
    timeoutMs: typeof timeoutMs === 'number' ? timeoutMs : undefined,
    isProven: proof?.isGroupLeader === true && proof.namespace === namespace,
  };
}

/** Puts on record how a call ended, as far as there is room for it: what it wrote tells nearly as much. */
export function writeEnd({ end: path }: CallRecords, end: ProgramEnd): void {
  try {
    replaceAtomically(path, JSON.stringify(end), 'process');
  } catch {
    // The answer is known by now, and must not be lost over this.
  }
}

/** How a call ended; undefined where nobody was there to see it. */
export function readEnd({ end: path }: CallRecords): ProgramEnd | undefined {
  // Written by `writeEnd` alone, whole or not at all.
  return readRecord(path) as ProgramEnd | undefined;
}

/** The end of an output; empty where there is none. */
export function readTail(path: string): string {
  try {
    const file = openSync(path, 'r');
    try {
      const start = Math.max(0, fstatSync(file).size - tailBytes);
      const bytes = Buffer.alloc(tailBytes);
      return bytes.toString('utf8', 0, readSync(file, bytes, 0, tailBytes, start));
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}

/** Removes what was left behind under a key. What cannot be removed now does no harm, and grows old like the rest. */
export async function removeCallRecords(folder: string, key: string): Promise<void> {
  await rm(keyFolder(folder, key), { recursive: true, force: true }).catch(() => undefined);
}

/** Removes what nobody has asked for in 90 days. */
export async function removeOldCallRecords(folder: string, nowMs: number): Promise<void> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    const { mtimeMs } = await stat(path);
    if (nowMs - mtimeMs > keptDays * dayMs) await rm(path, { recursive: true, force: true });
  }
}

function readRecord(path: string) {
  try {
    const record: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isJsonObject(record) ? record : undefined;
  } catch {
    return undefined;
  }
}
