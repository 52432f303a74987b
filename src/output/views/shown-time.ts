import type { Clock } from '../../base/clock.ts';
import { instantMs, koreanZone } from '../../base/korean-time.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Age from which the date says more than the number of days. */
const recentMs = 30 * dayMs;

export interface TimeOptions {
  /** With a clock, recent times are relative to now, and others are dates. */
  readonly clock?: Clock | undefined;
  /** The zone that dates and times are shown in, such as `+09:00`; left out, the zone each was written in. */
  readonly timeZone?: string | undefined;
}

/**
 * An ISO-8601 date-time for people: with a clock `3 h ago` for the last 30 days and the date before that, without one
 * `2019-08-24 14:15Z`. Other text stays as it is, and a time without a zone is Korean.
 */
export function shownTime(text: string, { clock, timeZone }: TimeOptions = {}): string {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/.exec(text);
  const time = instantMs(text);
  if (!match || Number.isNaN(time)) return text;
  const [, date = '', minutes = '', zone = koreanZone] = match;
  const age = clock === undefined ? undefined : clock.now() - time;
  if (age !== undefined && age >= 0 && age < recentMs) return ageInWords(age);
  const moved = timeZone === undefined ? { date, minutes, zone } : inZone(time, timeZone);
  return clock === undefined ? `${moved.date} ${moved.minutes}${moved.zone}` : moved.date;
}

function ageInWords(age: number): string {
  if (age < minuteMs) return 'just now';
  if (age < hourMs) return `${Math.floor(age / minuteMs)} min ago`;
  return age < dayMs ? `${Math.floor(age / hourMs)} h ago` : `${Math.floor(age / dayMs)} d ago`;
}

function inZone(time: number, zone: string) {
  const [date = '', minutes = ''] = isoIn(time, zone).split('T');
  return { date, minutes: minutes.slice(0, 'HH:MM'.length), zone };
}

/** The ISO-8601 date and time of an instant in a zone such as `+09:00`, without the zone itself. */
export function isoIn(time: number, zone: string): string {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  const offsetMs = Number(hours ?? 0) * hourMs + Number(minutes ?? 0) * minuteMs;
  const shifted = new Date(sign === '-' ? time - offsetMs : time + offsetMs);
  // The calendar of computers ends: what an offset moves beyond it stays where it was.
  return (Number.isNaN(shifted.getTime()) ? new Date(time) : shifted).toISOString().slice(0, -1);
}
