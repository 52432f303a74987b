import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import {
  callRecords,
  callState,
  makeKeyFolder,
  writeEnd,
  writeProcess,
} from '../../src/payer/call-records.ts';
import { isGroupAlive, linuxIdentity } from '../../src/payer/process-identity.ts';
import { programOutcome, runningInWords } from '../../src/payer/program-outcome.ts';
import { paymentOf } from './payments.ts';
import { testFolder } from './programs.ts';

/** The record of a program that has ended, with these changes. */
async function recordOfEnded(timeoutMs: number, otherwise: (startedAt: string) => object) {
  const folder = testFolder();
  const { key } = paymentOf();
  makeKeyFolder(folder, key);
  const files = callRecords(folder, key, 1);
  const sleeper = spawn('sleep', ['600'], { stdio: 'ignore' });
  onTestFinished(() => void sleeper.kill('SIGKILL'));
  await once(sleeper, 'spawn');
  writeProcess(files, sleeper.pid ?? 0, timeoutMs);
  sleeper.kill('SIGKILL');
  await once(sleeper, 'exit');
  const record = JSON.parse(readFileSync(files.pid, 'utf8'));
  writeFileSync(files.pid, JSON.stringify({ ...record, ...otherwise(record.startedAt) }));
  return { files, outcome: () => programOutcome(folder, paymentOf()) };
}

it('a program of another pid namespace may be running until its time limit has passed', async () => {
  const { files, outcome } = await recordOfEnded(60_000, () => ({ namespace: 'pid:[1]' }));
  const state = callState(files);
  expect(state).toMatchObject({ kind: 'running', isProven: false, ageMs: expect.any(Number) });
  const { message } = outcome() as Extract<ReturnType<typeof outcome>, { kind: 'running' }>;
  expect(message).toContain('may still be running: it was started in another container');
  // In this namespace, the id may belong to another process.
  expect(message).not.toContain('kill');
  const { files: overdue } = await recordOfEnded(-1, () => ({ namespace: 'pid:[1]' }));
  expect(callState(overdue)).toEqual({ kind: 'ended' });
});

it('a program of another pid namespace has ended where its caller saw its end', async () => {
  const { files } = await recordOfEnded(60_000, () => ({ namespace: 'pid:[1]' }));
  writeEnd(files, { kind: 'unstoppable' });
  expect(callState(files).kind).toBe('running');
  writeEnd(files, { kind: 'exited', code: 0 });
  expect(callState(files)).toEqual({ kind: 'ended' });
});

it('a program of another boot has ended, whatever its namespace', async () => {
  const otherBoot = (startedAt: string) => ({
    namespace: 'pid:[1]',
    startedAt: `another ${startedAt.split(' ')[1]}`,
  });
  const { files } = await recordOfEnded(60_000, otherBoot);
  expect(callState(files)).toEqual({ kind: 'ended' });
});

it('without /proc nothing is said of a process but why', () => {
  expect(() => linuxIdentity(process.pid, testFolder())).toThrow(
    /^processes cannot be identified: .* is not mounted$/,
  );
  const doubt = 'processes cannot be identified: /proc is not mounted';
  const running = {
    kind: 'running',
    pid: 7,
    ageMs: undefined,
    timeoutMs: 1,
    isProven: false,
    doubt,
  } as const;
  expect(runningInWords(running)).toBe(`the payer it called may still be running: ${doubt}`);
});

it('a program that has ended, and whose parent has not asked for it, has ended', async () => {
  const folder = testFolder();
  const { key } = paymentOf();
  makeKeyFolder(folder, key);
  const files = callRecords(folder, key, 1);
  // A program that replaces its shell does not wait for the children of the shell.
  const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec cat'], { stdio: ['pipe', 'pipe', 'ignore'] });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [pid] = await once(parent.stdout, 'data');
  // It has replaced the shell once it answers.
  parent.stdin.write('there');
  await once(parent.stdout, 'data');
  writeProcess(files, Number(String(pid)), 60_000);
  process.kill(Number(String(pid)), 'SIGKILL');
  await expect.poll(() => callState(files)).toEqual({ kind: 'ended' });
  expect(existsSync(`/proc/${Number(String(pid))}`)).toBe(true);
});

it.each(['', '..', '../other', 'a/b', 'A', '-a', 'a'.repeat(65)])(
  'no folder is made of the key %j',
  (key) => {
    expect(() => makeKeyFolder(testFolder(), key)).toThrow('is not a payment key');
    expect(() => callRecords(testFolder(), key, 1)).toThrow('is not a payment key');
  },
);

it('a program of which only a child is left may be running, until that has ended or its caller saw it exit', async () => {
  const folder = testFolder();
  const { key } = paymentOf();
  makeKeyFolder(folder, key);
  const files = callRecords(folder, key, 1);
  const leader = spawn('sh', ['-c', 'sleep 600 & echo; wait'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const pid = leader.pid ?? 0;
  onTestFinished(() => void (isGroupAlive(pid) && process.kill(-pid, 'SIGKILL')));
  await once(leader.stdout, 'data');
  writeProcess(files, pid, 60_000);
  leader.kill('SIGKILL');
  await once(leader, 'exit');
  expect(callState(files)).toMatchObject({
    kind: 'running',
    isProven: false,
    doubt: expect.stringContaining(`-${pid}`),
  });
  writeEnd(files, { kind: 'killed', signal: 'SIGKILL' });
  expect(callState(files).kind).toBe('running');
  writeEnd(files, { kind: 'exited', code: 0 });
  expect(callState(files)).toEqual({ kind: 'ended' });
  rmSync(files.end);
  process.kill(-pid, 'SIGKILL');
  await expect.poll(() => callState(files)).toEqual({ kind: 'ended' });
});
