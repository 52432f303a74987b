import { describe, expect, it } from 'vitest';
import type { PayerAnswer } from '../../src/payer/payer.ts';
import { programAnswer } from '../../src/payer/program-answer.ts';
import type { ProgramEnd } from '../../src/payer/run-payer-program.ts';
import { paymentOf } from './payments.ts';

const lines = {
  nothing: '',
  'a word': 'OK\n',
  'JSON without outcome': '{"done":true}\n',
  paid: '{"outcome":"paid"}\n',
  refused: '{"outcome":"refused"}\n',
  retry: '{"outcome":"retry"}\n',
  'a strange outcome': '{"outcome":"PAID"}\n',
} as const;
type Line = keyof typeof lines;

const p = 'paid';
const r = 'refused';
const t = 'retry';
const a = 'ambiguous';

/** The meaning of each exit code with each last line, in the order of `lines`. */
const byExitCode: readonly (readonly [number, readonly PayerAnswer['kind'][]])[] = [
  [0, [p, p, p, p, r, t, a]],
  [10, [r, r, r, a, r, a, a]],
  [75, [t, t, t, a, a, t, a]],
  [1, [a, a, a, a, a, a, a]],
  [2, [a, a, a, a, a, a, a]],
  [127, [a, a, a, a, a, a, a]],
];

const rows = byExitCode.flatMap(([code, kinds]) =>
  Object.keys(lines).map((line, index) => [code, line as Line, kinds[index]] as const),
);

function kindOf(end: ProgramEnd | undefined, stdout: string): PayerAnswer['kind'] {
  return programAnswer({ end, stdout, stderr: '' }, paymentOf()).kind;
}

describe('a program that ended', () => {
  it.each(rows)('with exit code %d after %s means %s', (code, line, kind) => {
    expect(kindOf({ kind: 'exited', code }, lines[line])).toBe(kind);
  });

  it('may say its outcome over many lines', () => {
    const stdout = `${JSON.stringify({ outcome: 'refused', message: 'no' }, undefined, 2)}\n`;
    for (const code of [0, 10]) {
      const end = { kind: 'exited', code } as const;
      const answer = { kind: 'refused', message: 'no' };
      expect(programAnswer({ end, stdout, stderr: '' }, paymentOf())).toEqual(answer);
    }
    expect(kindOf({ kind: 'exited', code: 75 }, stdout)).toBe('ambiguous');
  });

  it.each([
    ['with a byte order mark', '\ufeff{"outcome":"refused"}\n'],
    ['behind a byte order mark and other lines', 'paying\n\ufeff {"outcome":"refused"}\n'],
    ['that is followed by many empty ones', `{"outcome":"refused"}${'\n'.repeat(1 << 19)}`],
    ['of 70,000 characters', `${JSON.stringify({ outcome: 'refused', more: 'x'.repeat(70_000) })}\n`],
  ])('that exits with 0 after a refusal %s has refused', (_, stdout) => {
    expect(kindOf({ kind: 'exited', code: 0 }, stdout)).toBe('refused');
  });

  it.each([
    ['that is torn', '{"outcome":"refus'],
    ['that is torn within several lines', '{\n  "outcome": "refused",\n'],
    ['in colors', '\u001b[31m{"outcome":"refused"}\u001b[0m\n'],
    ['in an array', '[{"outcome":"refused"}]\n'],
    ['in an array over several lines', '[\n  {"outcome":"refused"}\n]\n'],
    ['in UTF-16', Buffer.from('{"outcome":"refused"}\n', 'utf16le').toString()],
    ['before a line of a log', '{"outcome":"refused"}\n{"level":"info"}\n'],
    ['among other lines', 'paying\n{"outcome":"refused"}\ndone\n'],
    ['that is cut', `refused"}${' '.repeat(1 << 20)}x`],
  ])('does not mean paid by its exit code after a refusal %s', (_, stdout) => {
    expect(kindOf({ kind: 'exited', code: 0 }, stdout)).toBe('ambiguous');
  });

  it('is not called again after it said paid in a line with a byte order mark, in a torn or an earlier one', () => {
    for (const stdout of ['\ufeff{"outcome":"paid"}', '{"outcome":"paid"', '{"outcome":"paid"}\n{}'])
      for (const code of [10, 75]) expect(kindOf({ kind: 'exited', code }, stdout)).toBe('ambiguous');
  });

  it('gives its last line of stderr as the reason, if it has no other', () => {
    const end = { kind: 'exited', code: 3 } as const;
    expect(programAnswer({ end, stdout: '', stderr: 'trying\nno  route\tto host\n' }, paymentOf())).toEqual({
      kind: 'ambiguous',
      message: 'the payer ended with exit code 3: no route to host',
    });
  });
});

describe('a program without an exit code', () => {
  it('that ended unseen means what its last line asserts, and nothing else', () => {
    const kinds = Object.values(lines).map((line) => kindOf(undefined, line));
    expect(kinds).toEqual([a, a, a, p, r, a, a]);
  });

  it.each<[string, ProgramEnd]>([
    ['was killed', { kind: 'killed', signal: 'SIGKILL' }],
    ['did not end in time', { kind: 'timed-out' }],
    ['wrote too much', { kind: 'overflowed' }],
    ['could not be killed', { kind: 'unstoppable' }],
  ])('that %s is in doubt, whatever its last line says', (_, end) => {
    for (const line of Object.values(lines)) expect(kindOf(end, line)).toBe('ambiguous');
  });

  it('is not believed where the line is torn', () => {
    expect(kindOf(undefined, '{"outcome":"paid"')).toBe('ambiguous');
  });
});

describe('a program that did not start', () => {
  it.each([
    ['ENOENT', 'misconfigured'],
    ['EACCES', 'misconfigured'],
    ['ENOEXEC', 'misconfigured'],
    ['ENOTDIR', 'misconfigured'],
    ['EPERM', 'misconfigured'],
    ['ELOOP', 'misconfigured'],
    ['E2BIG', 'misconfigured'],
    ['EINVAL', 'misconfigured'],
    ['EAGAIN', 'retry'],
    ['EMFILE', 'retry'],
    ['ENOMEM', 'retry'],
  ])('for %s means %s', (code, kind) => {
    expect(kindOf({ kind: 'not-started', code, message: '' }, '')).toBe(kind);
  });

  it('with no such file may lack the interpreter of its first line, which the message says', () => {
    const end = { kind: 'not-started', code: 'ENOENT', message: 'spawn /pay ENOENT' } as const;
    expect(programAnswer({ end, stdout: '', stderr: '' }, paymentOf()).message).toBe(
      'the payer could not be started: spawn /pay ENOENT; the program, or the interpreter in its first line (#!), ' +
        'does not exist',
    );
  });
});
