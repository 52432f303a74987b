import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { callRecords } from '../../src/payer/call-records.ts';
import { processIdentity } from '../../src/payer/process-identity.ts';
import { bundled } from '../output/bundled.ts';
import { paymentOf } from './payments.ts';
import { execPayer, shellProgram, testFolder, textAt } from './programs.ts';

/** Pays in a separate process, and kills it as soon as its program has received the payment. */
async function killedWhilePaying(
  command: string,
  callRecordsFolder: string,
  { told, timeoutMs = 60_000 }: { readonly told: string; readonly timeoutMs?: number },
): Promise<void> {
  const program = bundled(`
    import { openExecPayer } from './src/payer/exec-payer.ts';
    import { findPayerProgram } from './src/payer/payer-program.ts';
    const { command, callRecordsFolder, payment, timeoutMs } = JSON.parse(process.argv[1]);
    const payer = await openExecPayer({
      program: findPayerProgram({ command, flag: '', env: process.env, passedVariables: [] }),
      callRecordsFolder,
      timeoutMs,
      promises: { idempotentForMs: null, replaysResponse: false, lookupDelayMs: 0 },
      lookUp: undefined,
      secrets: [],
      nowMs: Date.now(),
    });
    await payer.pay({ ...payment, amount: BigInt(payment.amount) });
  `);
  const payment = { ...paymentOf(), amount: String(paymentOf().amount) };
  const argument = JSON.stringify({ command, callRecordsFolder, payment, timeoutMs });
  const owner = spawn(process.execPath, ['--input-type=module', '-e', program, argument], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(owner, 'exit');
  await expect.poll(() => textAt(told)).toContain('"key"');
  owner.kill('SIGKILL');
  await ended;
}

it.each([
  [`echo working >&2; echo '{"outcome":"paid","ref":"R-9"}'`, { kind: 'paid', ref: 'R-9' }],
  [`echo '{"outcome":"refused","message":"no"}'; exit 10`, { kind: 'refused', message: 'no' }],
  ['exit 0', { kind: 'ended' }],
])(
  'a program outlives the process that called it, is seen at work, and its word is found: %s',
  async (lines, found) => {
    const folder = testFolder();
    const callRecordsFolder = join(folder, 'evidence');
    const command = shellProgram(`cat > told; while [ ! -e go ]; do sleep 0.02; done; ${lines}`, { folder });
    await killedWhilePaying(command, callRecordsFolder, { told: join(folder, 'told') });
    const payer = await execPayer({ command, callRecordsFolder });
    const { key } = paymentOf();
    const { pid } = JSON.parse(readFileSync(callRecords(callRecordsFolder, key, 1).pid, 'utf8'));
    expect(await payer.recoveredOutcome(paymentOf())).toEqual({
      kind: 'running',
      message: expect.stringMatching(
        `^the payer it called is still running \\(process ${pid}, for \\d+ s\\); a run ends it 60 s after its start, or do so now: kill -KILL -- -${pid}$`,
      ),
    });
    writeFileSync(join(folder, 'go'), '');
    await expect.poll(async () => (await payer.recoveredOutcome(paymentOf())).kind).not.toBe('running');
    expect(await payer.recoveredOutcome(paymentOf())).toEqual(found);
  },
);

const isRunning = (pid: number) => processIdentity(pid)?.hasEnded === false;

it('a program that hangs after its owner was killed is ended by the next run, with all it began, once its time is over', async () => {
  const folder = testFolder();
  const callRecordsFolder = join(folder, 'evidence');
  const command = shellProgram('sleep 600 & echo $! > child; cat > told; wait', { folder });
  await killedWhilePaying(command, callRecordsFolder, { told: join(folder, 'told'), timeoutMs: 3_000 });
  const { key } = paymentOf();
  const files = callRecords(callRecordsFolder, key, 1);
  const { pid } = JSON.parse(readFileSync(files.pid, 'utf8'));
  const child = Number(textAt(join(folder, 'child')));
  // The program's own time-out applies, not that of the run that finds it.
  const payer = await execPayer({ command, callRecordsFolder, timeoutMs: 1 });
  await expect.poll(() => payer.recoveredOutcome(paymentOf())).toEqual({ kind: 'ended' });
  await expect.poll(() => [pid, child].filter(isRunning)).toEqual([]);
  expect(JSON.parse(readFileSync(files.end, 'utf8'))).toEqual({ kind: 'timed-out' });
});
