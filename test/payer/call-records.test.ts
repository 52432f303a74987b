import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  callRecords,
  callState,
  makeKeyFolder,
  readEnd,
  readTail,
  removeCallRecords,
  removeOldCallRecords,
  writeEnd,
  writeProcess,
} from '../../src/payer/call-records.ts';
import { outcomeAfterTimeLimit, programOutcome } from '../../src/payer/program-outcome.ts';
import { recordedPayer } from '../../src/payer/recorded-payer.ts';
import type { ProgramEnd } from '../../src/payer/run-payer-program.ts';
import { noPromises, paymentOf } from './payments.ts';
import { execPayer, shellProgram, testFolder } from './programs.ts';

const payment = paymentOf({ key: 'rv1-a', attempt: 2 });
const { key } = payment;
/** The start of a process that started at boot. */
const bootedAt = `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()} 0`;

function recordsIn(folder = testFolder()) {
  makeKeyFolder(folder, key);
  return { folder, files: callRecords(folder, key, 2) };
}

it('the records of a call are beside each other, in a folder of its key that only this user can read', () => {
  const { folder, files } = recordsIn();
  const base = join(folder, key, '2');
  expect(files).toEqual({
    stdout: `${base}.out`,
    stderr: `${base}.err`,
    pid: `${base}.pid`,
    end: `${base}.end`,
  });
  expect(statSync(join(folder, key)).mode & 0o777).toBe(0o700);
});

it.each([
  ['', 'none'],
  ['{', 'none'],
  ['[]', 'none'],
  ['{"pid":"7"}', 'ended'],
  ['{"pid":4194305,"startedAt":"x"}', 'ended'],
  [`{"pid":4194305,"startedAt":"${bootedAt}","timeoutMs":1e12}`, 'ended'],
  [`{"pid":4194305,"startedAt":"${bootedAt}","timeoutMs":1e12,"namespace":null}`, 'ended'],
  [`{"pid":4194305,"startedAt":"${bootedAt}","namespace":"pid:[1]"}`, 'ended'],
  [`{"pid":4194305,"timeoutMs":1e12,"namespace":"pid:[1]"}`, 'ended'],
])('a record of a process %j means %s', (text, kind) => {
  const { files } = recordsIn();
  writeFileSync(files.pid, text);
  expect(callState(files)).toEqual({ kind });
});

it('a process that is running is recorded with its limit, and is known again', () => {
  const { files } = recordsIn();
  expect(callState(files)).toEqual({ kind: 'none' });
  writeProcess(files, process.pid, 5_000);
  const state = callState(files);
  expect(state).toMatchObject({ kind: 'running', pid: process.pid, timeoutMs: 5_000 });
  expect(state.kind === 'running' && state.ageMs).toBeGreaterThan(0);
  expect(() => writeProcess(files, 4_194_305, 1)).toThrow('process 4194305 is gone');
});

it('how a call ended is read as it was written, and a failed write loses nothing', () => {
  const { files } = recordsIn();
  expect(readEnd(files)).toBeUndefined();
  writeEnd(files, { kind: 'exited', code: 3 });
  expect(readEnd(files)).toEqual({ kind: 'exited', code: 3 });
  expect(() => writeEnd({ ...files, end: join(files.end, 'none') }, { kind: 'timed-out' })).not.toThrow();
});

it('of an output longer than it may be the last MiB is read, and of none nothing', () => {
  const { files } = recordsIn();
  expect(readTail(files.stdout)).toBe('');
  writeFileSync(files.stdout, 'short');
  expect(readTail(files.stdout)).toBe('short');
  writeFileSync(files.stdout, `a${'b'.repeat(1 << 20)}`);
  expect(readTail(files.stdout) === 'b'.repeat(1 << 20)).toBe(true);
});

it('records of a key are removed at once, others once they are older than 90 days', async () => {
  const { folder } = recordsIn();
  mkdirSync(join(folder, 'old'));
  mkdirSync(join(folder, 'new'));
  const [daySeconds, nowSeconds] = [86_400, 200 * 86_400];
  utimesSync(join(folder, 'old'), 1, nowSeconds - 90 * daySeconds - 1);
  utimesSync(join(folder, 'new'), 1, nowSeconds - 90 * daySeconds);
  await removeOldCallRecords(folder, nowSeconds * 1000);
  expect([existsSync(join(folder, 'old')), existsSync(join(folder, 'new'))]).toEqual([false, true]);
  await removeCallRecords(folder, key);
  expect(existsSync(join(folder, key))).toBe(false);
  await removeCallRecords(folder, key);
});

it.each([
  [`{"outcome":"paid","ref":"T1"}`, { kind: 'paid', ref: 'T1' }],
  [`{"outcome":"refused","message":"no"}`, { kind: 'refused', message: 'no' }],
  [`{"outcome":"retry"}`, { kind: 'ended' }],
  [
    `{"outcome":"paid","amount":2}`,
    {
      kind: 'ambiguous',
      message: "the payer has ended, and its answer is for another payment: amount '2', not '1500'",
    },
  ],
])('of a call whose caller was gone, the output %s says %j', (stdout, outcome) => {
  const { folder, files } = recordsIn();
  writeFileSync(files.stdout, stdout);
  expect(programOutcome(folder, payment)).toEqual({ kind: 'none' });
  writeFileSync(files.pid, '{"pid":4194305}');
  expect(programOutcome(folder, payment)).toEqual(outcome);
});

it.each(['paid', 'refused'])(
  'a secret in an answer %s that a call left behind is not shown',
  async (outcome) => {
    const { folder, files } = recordsIn();
    writeFileSync(files.stdout, JSON.stringify({ outcome, message: 'by t0p-secret' }));
    writeFileSync(files.pid, '{"pid":4194305}');
    const options = { callRecordsFolder: folder, timeoutMs: 1, secrets: ['t0p-secret'] };
    expect(await outcomeAfterTimeLimit(options, payment)).toEqual({
      kind: outcome,
      message: 'by [redacted]',
    });
    expect(await outcomeAfterTimeLimit(options, { ...payment, attempt: 3 })).toEqual({ kind: 'none' });
  },
);

it('a payer that is only on record is not called, and the outcomes of its calls are read', async () => {
  const { folder, files } = recordsIn();
  const payer = recordedPayer({ name: 'gone', ...noPromises }, folder);
  writeFileSync(files.stdout, '{"outcome":"paid"}');
  writeFileSync(files.pid, '{"pid":4194305}');
  expect(await payer.recoveredOutcome(payment)).toEqual({ kind: 'paid' });
  await expect(payer.pay(paymentOf())).rejects.toThrow('gone is not called here');
});

it('a call of a number that has records is in doubt, and its program is not run', async () => {
  const folder = testFolder();
  const payment = paymentOf();
  makeKeyFolder(folder, payment.key);
  writeFileSync(callRecords(folder, payment.key, 1).stdout, '');
  const payer = await execPayer({ command: shellProgram('exit 0'), callRecordsFolder: folder });
  expect(await payer.pay(payment)).toEqual({
    kind: 'ambiguous',
    message: 'an earlier call of this number has records: the ledger is older than that call, or is a copy',
  });
  expect(await payer.pay({ ...payment, attempt: 2 })).toEqual({ kind: 'paid' });
});

it.each<[what: string, end: ProgramEnd | undefined, line: string, message: string | undefined]>([
  ['is open', undefined, '{"outcome":"retry"}', undefined],
  ['says that it paid', { kind: 'exited', code: 0 }, '{"outcome":"paid"}', undefined],
  ['refused', { kind: 'exited', code: 10 }, '{"outcome":"refused"}', undefined],
  ['contradicts itself', { kind: 'exited', code: 75 }, '{"outcome":"paid"}', undefined],
  ['asks for another', { kind: 'exited', code: 75 }, '', 'the payer ended with exit code 75'],
  [
    'was never started',
    { kind: 'not-started', code: 'ENOENT', message: 'none' },
    '',
    'the payer could not be started: none; the program, or the interpreter in its first line (#!), does not exist',
  ],
])(
  'where the end of an earlier call of this number %s, only a proof that it did not pay allows a later call',
  async (_, end, line, message) => {
    const folder = testFolder();
    const payment = paymentOf();
    makeKeyFolder(folder, payment.key);
    const files = callRecords(folder, payment.key, 1);
    writeFileSync(files.stdout, line);
    if (end !== undefined) writeEnd(files, end);
    const runs = join(testFolder(), 'runs');
    const payer = await execPayer({ command: shellProgram(`echo >> '${runs}'`), callRecordsFolder: folder });
    const answer = await payer.pay(payment);
    if (message === undefined) expect(answer.kind).toBe('ambiguous');
    else
      expect(answer).toEqual({
        kind: 'retry',
        message: `an earlier call of this number did not pay: ${message}`,
      });
    expect(existsSync(runs)).toBe(false);
  },
);

it('a call whose records cannot be kept is not made', async () => {
  const folder = join(testFolder(), 'file');
  const payer = await execPayer({ command: shellProgram('exit 0'), callRecordsFolder: folder });
  writeFileSync(folder, '');
  expect(await payer.pay(paymentOf())).toMatchObject({
    kind: 'retry',
    message: expect.stringMatching(/^the payer was not called, since its answer cannot be recorded: /),
  });
});

it('a payer is called by its name, forgets a payment, and tells how long it may take', async () => {
  const folder = testFolder();
  const path = shellProgram('exit 0');
  const payer = await execPayer({ command: `${path} 'a b'`, callRecordsFolder: folder, timeoutMs: 1_000 });
  expect(payer.capabilities).toEqual({ name: `exec ${path} 'a b'`, ...noPromises });
  expect(payer.timeoutMs).toBe(6_000);
  const payment = paymentOf();
  await payer.pay(payment);
  expect(existsSync(join(folder, payment.key))).toBe(true);
  await payer.forget(payment.key);
  expect(existsSync(join(folder, payment.key))).toBe(false);
});

it('a folder of records that cannot be read is refused, unless the payer is only named', async () => {
  const file = join(testFolder(), 'file');
  writeFileSync(file, '');
  const options = { command: shellProgram('exit 0'), callRecordsFolder: file };
  await expect(execPayer(options)).rejects.toMatchObject({
    kind: 'config',
    message: expect.stringMatching(/^the folder .*, for call records, cannot be used: ENOTDIR/),
    hint: 'it is beside the ledger: give this user write access to it',
  });
  await execPayer({ ...options, isToBeCalled: false });
});
