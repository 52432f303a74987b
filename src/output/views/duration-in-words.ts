const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** A duration for people: `12 min`, `3 h 5 min`, `2 d 4 h`. Infinity means an unknown age. */
export function durationInWords(ms: number): string {
  if (!Number.isFinite(ms)) return 'an unknown time, because the clock was set back';
  if (ms < minuteMs) return 'less than a minute';
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min`;
  if (ms < dayMs) return `${Math.floor(ms / hourMs)} h ${Math.floor((ms % hourMs) / minuteMs)} min`;
  return `${Math.floor(ms / dayMs)} d ${Math.floor((ms % dayMs) / hourMs)} h`;
}

/** Like `durationInWords`, for an age; null if the clock was set back before its start. */
export function ageInWords({ ageSeconds }: { readonly ageSeconds: number | null }): string {
  return durationInWords(ageSeconds === null ? Number.POSITIVE_INFINITY : ageSeconds * 1000);
}
