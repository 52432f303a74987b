import { describe, expect, it } from 'vitest';
import {
  type ExitCode,
  exitCodes,
  messageOf,
  strongestExitCode,
  systemCodeOf,
} from '../../src/base/failure.ts';

/**
 * Strongest first: 12, 11, signals, immediate failures, then results of a completed run; 9 (another process is working)
 * is the weakest.
 */
const order: readonly ExitCode[] = [12, 11, 143, 130, 1, 3, 4, 2, 7, 5, 8, 6, 9];

const pairs = order.flatMap((stronger, place) =>
  order.slice(place + 1).map((weaker) => [stronger, weaker] as const),
);

describe('the exit code of a run', () => {
  it('is 0 when nothing else applied', () => {
    expect(strongestExitCode([])).toBe(0);
    expect(strongestExitCode([0, 0])).toBe(0);
  });

  it.each(pairs)('is %s where %s applied too, in whatever order', (stronger, weaker) => {
    expect(strongestExitCode([weaker, 0, stronger])).toBe(stronger);
    expect(strongestExitCode([stronger, weaker, weaker])).toBe(stronger);
  });

  it('has a rank and a meaning for each code', () => {
    const known = Object.keys(exitCodes).map(Number);
    expect(known.filter((code) => code !== 0).toSorted((a, b) => a - b)).toEqual(
      order.toSorted((a, b) => a - b),
    );
  });
});

describe('anything thrown', () => {
  it('has a message', () => {
    expect(messageOf(new TypeError('no'))).toBe('no');
    expect(messageOf('plain')).toBe('plain');
    expect(messageOf(undefined)).toBe('undefined');
  });

  it('has a system code only where the system gave one', () => {
    expect(systemCodeOf(Object.assign(new Error('no'), { code: 'ENOENT' }))).toBe('ENOENT');
    expect(systemCodeOf(Object.assign(new Error('no'), { code: 7 }))).toBeUndefined();
    expect(systemCodeOf(new Error('no'))).toBeUndefined();
    expect(systemCodeOf({ code: 'ENOENT' })).toBeUndefined();
  });
});
