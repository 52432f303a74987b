import { setTimeout as sleep } from 'node:timers/promises';
import { type CallRecords, callState, type RunningProgram, writeEnd } from './call-records.ts';
import { killGroup, killWaitMs } from './run-payer-program.ts';

/** The interval at which a program is checked after its signal, in milliseconds. */
const pollMs = 50;

/**
 * Ends a program that outlived its caller and exceeds its time limit: the recorded one, else `timeoutMs`.
 * Only where the kernel proves that the process is this program; any other process is left alone, however
 * long it runs.
 */
export async function endOverdue(files: CallRecords, timeoutMs: number): Promise<void> {
  const state = callState(files);
  if (state.kind !== 'running' || !isOverdue(state, timeoutMs)) return;
  killGroup(state.pid);
  for (let waitedMs = 0; waitedMs < killWaitMs; waitedMs += pollMs) {
    if (callState(files).kind !== 'running') return writeEnd(files, { kind: 'timed-out' });
    await sleep(pollMs);
  }
}

function isOverdue({ isProven, ageMs, timeoutMs }: RunningProgram, defaultMs: number): boolean {
  return isProven && ageMs !== undefined && ageMs > (timeoutMs ?? defaultMs);
}

/** Describes a program that is still running, or may be: its process, its age, and how to end it. */
export function runningInWords({ pid, ageMs, timeoutMs, isProven, doubt }: RunningProgram): string {
  if (doubt !== undefined) return `the payer it called may still be running: ${doubt}`;
  const age = ageMs === undefined ? '' : `, for ${ageInWords(ageMs)}`;
  const end = `kill -KILL -- -${pid}`;
  const way =
    isProven && timeoutMs !== undefined
      ? `a run ends it ${ageInWords(timeoutMs)} after its start, or do so now: ${end}`
      : `if it hangs, end it: ${end}`;
  return `the payer it called is still running (process ${pid}${age}); ${way}`;
}

const units = [
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** `12 min`: in the largest unit that fits. */
function ageInWords(ms: number): string {
  const [unit, unitMs] = units.find(([, length]) => ms >= length) ?? units[2];
  return `${Math.floor(ms / unitMs)} ${unit}`;
}
