import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of the name of an undo log file. */
export interface UndoLogName {
  readonly run: string;
  /** The last day (UTC) on which it is kept: `2026-12-22`. */
  readonly lastDay: string;
  readonly holds: UndoLogPart;
}

/** Updates that can be undone, the ids of cancelled ones, and writes that cannot be undone. */
type UndoLogPart = 'updates' | 'cancelled' | 'others';

const dayMs = 24 * 60 * 60 * 1000;

/** The last day of a log kept for `days` from `nowMs` on. */
export function lastDayOf(nowMs: number, days: number): string {
  return dayOf(nowMs + days * dayMs);
}

/** The path of an undo log file in the state folder. */
export function undoLogPath(folder: string, { run, lastDay, holds }: UndoLogName): string {
  return join(undoFolder(folder), `${run}-${lastDay}-${holds}.ndjson`);
}

/** Lists the files that have not expired. */
export function listUndoLogs(folder: string, nowMs: number): readonly UndoLogName[] {
  const today = dayOf(nowMs);
  return allUndoLogs(folder).filter(({ lastDay }) => lastDay >= today);
}

/** The runs whose updates can be undone, each with its last day. */
export function undoableRuns(folder: string, nowMs: number): ReadonlyMap<string, string> {
  const updates = listUndoLogs(folder, nowMs).filter(({ holds }) => holds === 'updates');
  return new Map(updates.map(({ run, lastDay }) => [run, lastDay]));
}

/**
 * Deletes expired files. A file that cannot be deleted is left for the next time, since no push should fail because of
 * it.
 */
export function sweepUndoLogs(folder: string, nowMs: number): void {
  const today = dayOf(nowMs);
  try {
    for (const name of allUndoLogs(folder)) {
      if (name.lastDay < today) rmSync(undoLogPath(folder, name), { force: true });
    }
  } catch {
    // The file is unused, and only this user can read it.
  }
}

const pattern = /^(?<run>[0-9a-z-]+)-(?<lastDay>\d{4}-\d\d-\d\d)-(?<holds>updates|cancelled|others)\.ndjson$/;

function allUndoLogs(folder: string): readonly UndoLogName[] {
  const path = undoFolder(folder);
  if (!existsSync(path)) return [];
  return readdirSync(path).flatMap((name) => {
    const { run, lastDay, holds } = pattern.exec(name)?.groups ?? {};
    if (run === undefined || lastDay === undefined) return [];
    return [{ run, lastDay, holds: holds as UndoLogPart }];
  });
}

function undoFolder(folder: string): string {
  return join(folder, 'undo');
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
