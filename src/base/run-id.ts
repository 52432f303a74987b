import { randomInt } from 'node:crypto';

/** Digits in the order of their characters, none that could be taken for another. */
const digits = '0123456789abcdefghjkmnpqrstvwxyz';
const timeLength = 6;
const randomLength = 4;
const epochMs = Date.UTC(2020, 0, 1);

/**
 * The id of a run that begins now, of a push or of a settlement: `6hn4v2-4711-x7kq`. The seconds since 2020 come first,
 * last until 2054 and sort as the runs do. The process follows, and four random digits in case two machines agree on
 * both. Where the clock was set back, or the second is taken, it is the one after that of `last`.
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
