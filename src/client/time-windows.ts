/**
 * A part of a list's time range, in milliseconds since the epoch. Both ends are inclusive, and an infinite end is open.
 */
export interface TimeWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The overlap of each window with the previous one: services may keep times with more precision than their filters, or
 * exclude an end.
 */
export const overlapMs = 1000;

/** The length below which a window is not split. */
const shortestMs = 4 * overlapMs;
const partsMaximum = 1000;

/**
 * Splits a window into `parts` of equal length, the earliest first; into fewer if they would be too short. `known` is
 * the time range of the records; the rest belongs to the outer parts.
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

/** The window to request, extended by its overlap. */
export function withOverlap({ fromMs, toMs }: TimeWindow): TimeWindow {
  return { fromMs: fromMs - overlapMs, toMs };
}

/** The time of a record in milliseconds; NaN if it is missing or has no zone. */
export function instantOf(time: unknown): number {
  return typeof time === 'string' && /^[^T]*T.*(?:Z|[+-]\d{2}:?\d{2})$/.test(time)
    ? Date.parse(time)
    : Number.NaN;
}

export type Direction = 'ASC' | 'DESC';

/** True if a time may follow another in a list of this direction; never for a missing time. */
export function mayFollow(timeMs: number, beforeMs: number, direction: Direction): boolean {
  return direction === 'DESC' ? timeMs <= beforeMs : timeMs >= beforeMs;
}

/** The direction of these times; undefined if they are unsorted. */
export function directionOf(timesMs: readonly number[]): Direction | undefined {
  return (['DESC', 'ASC'] as const).find((direction) =>
    timesMs.every(
      (timeMs, index) => index === 0 || mayFollow(timeMs, timesMs[index - 1] ?? timeMs, direction),
    ),
  );
}
