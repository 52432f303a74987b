import { randomInt } from 'node:crypto';

/** Digits in ASCII order, without letters that look like others. */
const digits = '0123456789abcdefghjkmnpqrstvwxyz';
const timeLength = 6;
const randomLength = 4;
const epochMs = Date.UTC(2020, 0, 1);

/**
 * The id of a run that begins now: `6hn4v2-4711-x7kq`. It starts with the seconds since 2020, which last until 2054, so
 * that ids sort like the runs. The process id follows, and four random digits in case two machines agree on both. If
 * the clock was set back, or the second is used, it is the second after that of `last`.
 */
export function nextRunId(nowMs: number, last?: string): string {
  const seconds = Math.floor((nowMs - epochMs) / 1000);
  const time = Math.max(seconds, last === undefined ? 0 : read(last) + 1);
  const random = randomInt(digits.length ** randomLength);
  return `${written(time, timeLength)}-${process.pid}-${written(random, randomLength)}`;
}

function written(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / digits.length)) {
    text = digits.charAt(rest % digits.length) + text;
  }
  return text;
}

function read(id: string): number {
  const time = id.slice(0, timeLength);
  return time.split('').reduce((value, digit) => value * digits.length + digits.indexOf(digit), 0);
}
