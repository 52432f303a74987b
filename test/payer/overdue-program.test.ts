import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import {
  callRecords,
  callState,
  makeKeyFolder,
  readEnd,
  writeProcess,
} from '../../src/payer/call-records.ts';
import { endOverdue } from '../../src/payer/program-outcome.ts';
import { paymentOf } from './payments.ts';
import { testFolder } from './programs.ts';

/** A sleeping program with the record of its call; with `isGroup` it has its own process group. */
async function open({ isGroup }: { readonly isGroup: boolean }) {
  const folder = testFolder();
  const { key } = paymentOf();
  makeKeyFolder(folder, key);
  const files = callRecords(folder, key, 1);
  const sleeper = spawn('sleep', ['600'], { stdio: 'ignore', detached: isGroup });
  onTestFinished(() => void sleeper.kill('SIGKILL'));
  await once(sleeper, 'spawn');
  writeProcess(files, sleeper.pid ?? 0, 60_000);
  const change = (changes: object) => {
    const record = JSON.parse(readFileSync(files.pid, 'utf8'));
    writeFileSync(files.pid, JSON.stringify({ ...record, ...changes }));
  };
  return { files, sleeper, change };
}

it('a program that outlived its caller is ended once its time limit has passed, and only if the kernel proves that it is that', async () => {
  const { files, sleeper, change } = await open({ isGroup: true });
  const ended = once(sleeper, 'exit');
  const { namespace } = JSON.parse(readFileSync(files.pid, 'utf8'));
  expect(callState(files)).toMatchObject({ kind: 'running', isProven: true, timeoutMs: 60_000 });
  await endOverdue(files, -1);
  change({ timeoutMs: undefined });
  await endOverdue(files, 60_000);
  for (const foreign of [{ namespace: 'pid:[1]' }, { timeoutMs: -1, namespace: null }]) {
    change(foreign);
    expect(callState(files)).toMatchObject({ kind: 'running', isProven: false });
    await endOverdue(files, -1);
  }
  expect([sleeper.signalCode, readEnd(files)]).toEqual([null, undefined]);
  change({ timeoutMs: 'soon', namespace });
  expect(callState(files)).toMatchObject({ kind: 'running', isProven: true, timeoutMs: undefined });
  await endOverdue(files, -1);
  expect(readEnd(files)).toEqual({ kind: 'timed-out' });
  expect(await ended).toEqual([null, 'SIGKILL']);
  await endOverdue(files, -1);
  expect(callState(files)).toEqual({ kind: 'ended' });
});

it('a program of the process group of another is left alone, however long it runs', async () => {
  const { files, sleeper, change } = await open({ isGroup: false });
  change({ timeoutMs: -1 });
  expect(callState(files)).toMatchObject({ kind: 'running', isProven: false });
  await endOverdue(files, -1);
  expect([sleeper.signalCode, readEnd(files)]).toEqual([null, undefined]);
});

it('a program whose id is that of another process now has ended', async () => {
  const { files, change } = await open({ isGroup: true });
  change({ startedAt: 'another 1' });
  expect(callState(files)).toEqual({ kind: 'ended' });
});
