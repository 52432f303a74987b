/**
 * A part of the time of a list, in milliseconds since the epoch: both ends belong to it, and one that is infinite is
 * none.
 */
export interface TimeWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * How far each window reaches into the one before it: services may keep times more exactly than they are asked for, or
 * leave an end out.
 */
export const overlapMs = 1000;

/** A window shorter than that is not split. */
const shortestMs = 4 * overlapMs;
const partsMaximum = 1000;

/**
 * Splits a window into `parts` as long as each other, the earliest first; fewer where they would be too short. `known`
 * is the time in which there are records; what lies beyond goes to the outer parts.
 */
export function splitWindow(
  { fromMs, toMs }: TimeWindow,
  parts: number,
  known: TimeWindow,
): readonly TimeWindow[] {
  const start = Math.max(fromMs, known.fromMs);
  const length = Math.min(toMs, known.toMs) - start;
  const count = Math.min(parts, partsMaximum, Math.floor(length / shortestMs));
  const bounds = Array.from({ length: Math.max(0, count - 1) }, (_, index) =>
    wholeSecond(start + ((index + 1) * length) / count),
  );
  return [fromMs, ...bounds].map((from, index) => ({ fromMs: from, toMs: bounds[index] ?? toMs }));
}

function wholeSecond(timeMs: number): number {
  return Math.floor(timeMs / 1000) * 1000;
}

/** A window as it is asked for. */
export function withOverlap({ fromMs, toMs }: TimeWindow): TimeWindow {
  return { fromMs: fromMs - overlapMs, toMs };
}

/** The time of a record in milliseconds; NaN where it names none, or not its zone. */
export function instantOf(time: unknown): number {
  return typeof time === 'string' && /T.*(?:Z|[+-]\d{2}:?\d{2})$/.test(time) ? Date.parse(time) : Number.NaN;
}

export type Direction = 'ASC' | 'DESC';

/** Whether a time may follow another one in a list of this direction; what is no time may not. */
export function mayFollow(timeMs: number, beforeMs: number, direction: Direction): boolean {
  return direction === 'DESC' ? timeMs <= beforeMs : timeMs >= beforeMs;
}

/** How records of these times are sorted; undefined where they are not. */
export function directionOf(timesMs: readonly number[]): Direction | undefined {
  return (['DESC', 'ASC'] as const).find((direction) =>
    timesMs.every(
      (timeMs, index) => index === 0 || mayFollow(timeMs, timesMs[index - 1] ?? timeMs, direction),
    ),
  );
}
