import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { linuxIdentity, msSinceStart, processIdentity } from '../../src/payer/process-identity.ts';
import { testFolder } from './programs.ts';

/** A /proc folder in which process 7 has this state, group and start. */
function procOf({ state = 'S', group = 7, start = 1_000, uptime = '25.50 9.00' } = {}): string {
  const proc = testFolder();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(proc, path)), { recursive: true });
    writeFileSync(join(proc, path), text);
  };
  const between = Array.from({ length: 16 }, (_, index) => index);
  write('7/stat', `7 (a) b (c)) ${[state, 1, group, ...between, start].join(' ')} 5\n`);
  write('self/stat', '1 (x) S');
  write('sys/kernel/random/boot_id', 'boot\n');
  write('uptime', `${uptime}\n`);
  mkdirSync(join(proc, 'self/ns'));
  symlinkSync('pid:[1]', join(proc, 'self/ns/pid'));
  return proc;
}

it('a process is known by its boot and its start, whatever its name', () => {
  expect(linuxIdentity(7, procOf())).toEqual({
    startedAt: 'boot 1000',
    hasEnded: false,
    ageMs: 15_500,
    proof: { namespace: 'pid:[1]', isGroupLeader: true },
  });
});

it.each([
  ['S', false],
  ['R', false],
  ['Z', true],
  ['X', true],
])('a process in state %s has ended: %s', (state, hasEnded) => {
  expect(linuxIdentity(7, procOf({ state }))?.hasEnded).toBe(hasEnded);
});

it('a process of the group of another does not lead it', () => {
  expect(linuxIdentity(7, procOf({ group: 6 }))?.proof?.isGroupLeader).toBe(false);
});

it('a process that started later than the clock of the kernel shows is new', () => {
  expect(linuxIdentity(7, procOf({ uptime: '9.99 1.00' }))?.ageMs).toBe(0);
});

it('a process that is not shown is none', () => {
  expect(linuxIdentity(8, procOf())).toBeUndefined();
});

it('a process of this boot has an age, one of another boot has none', () => {
  const startedAt = processIdentity(process.pid)?.startedAt ?? '';
  const [boot, ticks] = startedAt.split(' ');
  const ageMs = msSinceStart(startedAt);
  expect(ageMs).toBeGreaterThan(0);
  expect(msSinceStart(`${boot} ${Number(ticks) - 100_000}`)).toBeGreaterThanOrEqual(1_000_000);
  expect(msSinceStart(`another ${ticks}`)).toBeUndefined();
});
