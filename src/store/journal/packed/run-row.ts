import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { isJsonObject, type Json } from '../../../base/json.ts';
import type { PushRunStart, Run, RunEnd } from '../../runs/run-log.ts';
import { isRunTimeline, type RunTimeline } from '../../runs/run-timeline.ts';

/** A run as the file keeps it: what is known of its beginning and its end are JSON. */
export interface RunRow {
  readonly id: string;
  readonly start: string;
  readonly end: string | null;
}

/** @throws Failure('unreadable-path') where the row is not a run as this program writes them. */
export function readRun({ id, start, end }: RunRow): Run {
  return {
    id,
    ...readJson(id, start, isRunStart),
    end: end === null ? undefined : readJson(id, end, isRunEnd),
  };
}

/** @throws as `readRun`. */
export function readTimeline(id: string, text: string): RunTimeline {
  return readJson(id, text, isRunTimeline);
}

function readJson<T>(id: string, text: string, isValid: (value: unknown) => value is T): T {
  const value = parsed(text);
  if (isValid(value)) return value;
  throw new Failure(
    'unreadable-path',
    `the journal of pushes is damaged: its record of run ${id} cannot be read`,
    hint`restore the journal (pushes.db in the state folder, or its schema in PostgreSQL) from a backup; see where it
      is with ${reviewctl`doctor`}`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRunStart(value: unknown): value is PushRunStart {
  if (!isJsonObject(value)) return false;
  const { kind, command, folder, files, plan, shard, batch, input, startedMs } = value;
  return (
    isText(kind) &&
    areTexts(command) &&
    isText(folder) &&
    areTexts(files) &&
    (plan === undefined || isText(plan)) &&
    (shard === undefined || isShard(shard)) &&
    (batch === undefined || isText(batch)) &&
    (input === undefined || isInput(input)) &&
    isNumber(startedMs)
  );
}

function isShard(value: Json): boolean {
  return isJsonObject(value) && isNumber(value['index']) && isNumber(value['count']);
}

function isInput(value: Json): boolean {
  if (!isJsonObject(value)) return false;
  const { digest, reading, records } = value;
  return isText(digest) && isText(reading) && isNumber(records);
}

function isRunEnd(value: unknown): value is RunEnd {
  if (!isJsonObject(value)) return false;
  const { endedMs, exitCode, tally, isPlanSent } = value;
  return (
    isNumber(endedMs) &&
    isNumber(exitCode) &&
    isJsonObject(tally) &&
    Object.values(tally).every(isNumber) &&
    (isPlanSent === undefined || typeof isPlanSent === 'boolean')
  );
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string';
}

function isNumber(value: Json | undefined): value is number {
  return typeof value === 'number';
}

function areTexts(value: Json | undefined): boolean {
  return Array.isArray(value) && value.every(isText);
}
