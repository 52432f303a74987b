/** Digits in the order of their characters, none that could be taken for another. */
const digits = '0123456789abcdefghjkmnpqrstvwxyz';
const length = 6;
const epochMs = Date.UTC(2020, 0, 1);

/**
 * The id of a run that begins now: the seconds since 2020 in six characters, which last until 2054 and sort as the runs
 * do. Where the second is taken, or the clock was set back, the one after `last`.
 */
export function nextRunId(nowMs: number, last: string | undefined): string {
  const seconds = Math.floor((nowMs - epochMs) / 1000);
  return written(Math.max(seconds, last === undefined ? 0 : read(last) + 1));
}

function written(value: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / digits.length)) {
    text = digits.charAt(rest % digits.length) + text;
  }
  return text;
}

function read(id: string): number {
  return id.split('').reduce((value, digit) => value * digits.length + digits.indexOf(digit), 0);
}
