import { isJsonObject, type Json } from '../../base/json.ts';
import type { PushRunStart, Run, RunEnd } from '../runs/run-log.ts';
import { isRunTimeline, type RunTimeline } from '../runs/run-timeline.ts';
import { damagedJournal } from './journal-failure.ts';

/** A run as rows keep it: what is known of its beginning and its end are JSON. */
export interface RunRow {
  readonly id: string;
  readonly beginning: string;
  readonly ending: string | null;
}

/** @throws Failure('unreadable-path') where the row is not a run as this program writes them. */
export function readRun({ id, beginning, ending }: RunRow): Run {
  return {
    id,
    ...checked(id, parsed(beginning), isRunStart),
    end: ending === null ? undefined : checked(id, parsed(ending), isRunEnd),
  };
}

/** @throws as `readRun`. */
export function readTimeline(id: string, value: unknown): RunTimeline {
  return checked(id, value, isRunTimeline);
}

function checked<T>(id: string, value: unknown, isValid: (value: unknown) => value is T): T {
  if (isValid(value)) return value;
  throw damagedJournal(`its record of run ${id} cannot be read`);
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
