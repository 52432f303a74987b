import type { Clock } from '../base/clock.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Age from which the date says more than the number of days. */
const recentMs = 30 * dayMs;

/**
 * An ISO-8601 date-time for people: with a clock `3 h ago` for the last 30 days and the date before that; without one
 * `2019-08-24 14:15Z`, in the zone it was written in. Anything else stays as it is.
 */
export function shownTime(text: string, clock: Clock | undefined): string {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/.exec(text);
  const time = Date.parse(text);
  if (!match || Number.isNaN(time)) return text;
  const [, date = '', minutes = '', zone = ''] = match;
  if (!clock) return `${date} ${minutes}${zone}`;
  const age = clock.now() - time;
  if (age < 0 || age >= recentMs) return date;
  if (age < minuteMs) return 'just now';
  if (age < hourMs) return `${Math.floor(age / minuteMs)} min ago`;
  return age < dayMs ? `${Math.floor(age / hourMs)} h ago` : `${Math.floor(age / dayMs)} d ago`;
}
