import { expect, it } from 'vitest';
import { runningInWords } from '../../src/payer/program-outcome.ts';

const running = { kind: 'running', pid: 7, ageMs: 59_999, timeoutMs: 60_000, isProven: true } as const;
const kill = 'kill -KILL -- -7';

it.each([
  [running, `(process 7, for 59 s); a run ends it 60 s after its start, or do so now: ${kill}`],
  [
    { ...running, ageMs: 3_600_000, timeoutMs: 1_999 },
    `(process 7, for 3600 s); a run ends it 1 s after its start, or do so now: ${kill}`,
  ],
  [{ ...running, ageMs: undefined, isProven: false }, `(process 7); if it hangs, end it: ${kill}`],
  [{ ...running, timeoutMs: undefined }, `(process 7, for 59 s); if it hangs, end it: ${kill}`],
])('a program that is %o is described with its age and how it ends', (program, words) => {
  expect(runningInWords(program)).toBe(`the payer it called is still running ${words}`);
});

it('a program that is not seen is described by that alone', () => {
  expect(runningInWords({ ...running, doubt: 'no /proc' })).toBe(
    'the payer it called may still be running: no /proc',
  );
});
