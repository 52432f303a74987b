import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What the name of a file of an undo log says. */
export interface UndoLogName {
  readonly run: string;
  /** The last day (UTC) on which it is kept: `2026-12-22`. */
  readonly lastDay: string;
  readonly holds: UndoLogPart;
}

/** What can be written back, the ids of that which replaced nothing after all, and what cannot be written back. */
type UndoLogPart = 'updates' | 'cancelled' | 'others';

const dayMs = 24 * 60 * 60 * 1000;

/** The last day of what is kept for `days` from `nowMs` on. */
export function lastDayOf(nowMs: number, days: number): string {
  return dayOf(nowMs + days * dayMs);
}

/** Where a file of an undo log is, in the state folder. */
export function undoLogPath(folder: string, { run, lastDay, holds }: UndoLogName): string {
  return join(undoFolder(folder), `${run}-${lastDay}-${holds}.ndjson`);
}

/** The files there are, but for those that are over. */
export function listUndoLogs(folder: string, nowMs: number): readonly UndoLogName[] {
  const today = dayOf(nowMs);
  return allUndoLogs(folder).filter(({ lastDay }) => lastDay >= today);
}

/** The runs whose updates can be undone, each with the last day on which they can. */
export function undoableRuns(folder: string, nowMs: number): ReadonlyMap<string, string> {
  const updates = listUndoLogs(folder, nowMs).filter(({ holds }) => holds === 'updates');
  return new Map(updates.map(({ run, lastDay }) => [run, lastDay]));
}

/** Deletes the files that are over. What cannot be deleted is left for the next time: no push has to wait for it. */
export function sweepUndoLogs(folder: string, nowMs: number): void {
  const today = dayOf(nowMs);
  try {
    for (const name of allUndoLogs(folder)) {
      if (name.lastDay < today) rmSync(undoLogPath(folder, name), { force: true });
    }
  } catch {
    // Only this user can read it, and it is no longer used.
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
