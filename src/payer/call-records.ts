import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { opendir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, replaceAtomically } from '../base/atomic-file.ts';
import { messageOf } from '../base/failure.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import { isGroupAlive, msSinceStart, pidNamespace, processIdentity } from './process-identity.ts';
import { outputBytesMaximum, type ProgramEnd } from './run-payer-program.ts';

/*
 * The records of called programs, one folder per key. The program writes `<attempt>.out` and `.err`. `.pid` identifies
 * its process. `.end` records how it ended, if its caller was still there.
 */

/** The age at which unused call records are removed, in days. */
const retentionDays = 90;
const dayMs = 86_400_000;

/** The files of one call. */
export type CallRecords = ReturnType<typeof callRecords>;

/** The paths of a call's files. The key becomes the name of a folder, so only a well-formed key is accepted. */
export function callRecords(folder: string, key: string, attempt: number) {
  const base = join(keyFolder(folder, key), String(attempt));
  return { stdout: `${base}.out`, stderr: `${base}.err`, pid: `${base}.pid`, end: `${base}.end` };
}

function keyFolder(folder: string, key: string): string {
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(key)) throw new Error(`'${key}' is not a payment key`);
  return join(folder, key);
}

/** Creates the folder of a key, readable by this user only. */
export function makeKeyFolder(folder: string, key: string): void {
  makeFolder(keyFolder(folder, key), 'process');
}

/**
 * Records the process of a call, and its time limit in milliseconds.
 * @throws if the process cannot be identified, or the record cannot be written.
 */
export function writeProcess({ pid: path }: CallRecords, pid: number, timeoutMs: number): void {
  const identity = processIdentity(pid);
  if (identity === undefined) throw new Error(`process ${pid} is gone`);
  const { startedAt, proof } = identity;
  const record = { pid, startedAt, timeoutMs, namespace: proof?.namespace ?? null };
  replaceAtomically(path, JSON.stringify(record), 'process');
}

/** A called program that is running, or may be, with or without its caller. */
export interface RunningProgram {
  readonly kind: 'running';
  readonly pid: number;
  /** Its running time, in milliseconds; undefined if the system does not report it. */
  readonly ageMs: number | undefined;
  /** The time limit set by its caller. */
  readonly timeoutMs: number | undefined;
  /** True if the kernel proves that this is the called program, and that it has its own process group. */
  readonly isProven: boolean;
  /** The reason why its state cannot be observed, if so. */
  readonly doubt?: string;
}

/** The state of a call: without a record, ended, or with a running program. */
type CallState = { readonly kind: 'none' | 'ended' } | RunningProgram;

export function callState(files: CallRecords): CallState {
  const record = readRecord(files.pid);
  if (record === undefined) return { kind: 'none' };
  const { pid, startedAt, timeoutMs, namespace } = record;
  if (typeof pid !== 'number') return { kind: 'ended' };
  const limitMs = typeof timeoutMs === 'number' ? timeoutMs : undefined;
  const unseen = { kind: 'running', pid, timeoutMs: limitMs, isProven: false } as const;
  try {
    const identity = processIdentity(pid);
    const isGone = identity === undefined || (identity.hasEnded && identity.startedAt === startedAt);
    if (isGone && isLeftBehind(pid, record) && readEnd(files)?.kind !== 'exited')
      return { ...unseen, ageMs: undefined, doubt: groupInWords(pid) };
    if (identity === undefined || identity.startedAt !== startedAt) {
      const ageMs = msInOtherNamespace(record);
      const isOver = ageMs === undefined || ageMs > (limitMs ?? 0) || hasSeenEnd(files);
      if (isOver) return { kind: 'ended' };
      return { ...unseen, ageMs, doubt: elsewhere };
    }
    const { ageMs, hasEnded, proof } = identity;
    if (hasEnded) return { kind: 'ended' };
    const isProven = proof?.isGroupLeader === true && proof.namespace === namespace;
    return { ...unseen, ageMs, isProven };
  } catch (error) {
    if (hasSeenEnd(files)) return { kind: 'ended' };
    return { ...unseen, ageMs: undefined, doubt: messageOf(error) };
  }
}

/** True if child processes outlive a program, for example after a signal to the program alone. */
function isLeftBehind(pid: number, { namespace, startedAt }: JsonObject): boolean {
  const isHere = namespace === pidNamespace() && typeof startedAt === 'string';
  return isHere && msSinceStart(startedAt) !== undefined && isGroupAlive(pid);
}

function groupInWords(pid: number): string {
  return (
    `process ${pid} has ended, but others of its group have not; to see them: ps -o pid,args -g ${pid}; ` +
    `to end them: kill -KILL -- -${pid}`
  );
}

/** True if its caller saw it end. */
function hasSeenEnd(files: CallRecords): boolean {
  const end = readEnd(files);
  return end !== undefined && end.kind !== 'unstoppable';
}

const elsewhere =
  'it was started in another container of this machine, and counts as ended once its time limit has passed';

/** The age of a program whose process id is of another namespace, so that it cannot be found here. */
function msInOtherNamespace({ namespace, startedAt }: JsonObject): number | undefined {
  const here = pidNamespace();
  const isOther = typeof namespace === 'string' && here !== undefined && namespace !== here;
  return isOther && typeof startedAt === 'string' ? msSinceStart(startedAt) : undefined;
}

/** Records how a call ended, if there is room on the disk: its output shows nearly as much. */
export function writeEnd({ end: path }: CallRecords, end: ProgramEnd): void {
  try {
    replaceAtomically(path, JSON.stringify(end), 'process');
  } catch {
    // The outcome is known by now; a failed write must not lose it.
  }
}

/** The recorded end of a call; undefined if its caller was gone by then. */
export function readEnd({ end: path }: CallRecords): ProgramEnd | undefined {
  // Written only by `writeEnd`, atomically.
  return readRecord(path) as ProgramEnd | undefined;
}

/** The last part of an output, complete unless it exceeds the size limit; empty if there is none. */
export function readTail(path: string): string {
  try {
    const file = openSync(path, 'r');
    try {
      const { size } = fstatSync(file);
      const bytes = Buffer.alloc(Math.min(size, outputBytesMaximum));
      return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, size - bytes.length));
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}

/** Removes the records of a key. Records that cannot be removed now are harmless, and are removed when they are old. */
export async function removeCallRecords(folder: string, key: string): Promise<void> {
  await rm(keyFolder(folder, key), { recursive: true, force: true }).catch(() => undefined);
}

/** Removes records older than 90 days. */
export async function removeOldCallRecords(folder: string, nowMs: number): Promise<void> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    const { mtimeMs } = await stat(path);
    if (nowMs - mtimeMs > retentionDays * dayMs) await rm(path, { recursive: true, force: true });
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
