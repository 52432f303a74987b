import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { evidenceFiles } from '../../src/payer/evidence-files.ts';
import { bundled } from '../output/bundled.ts';
import { paymentOf } from './payments.ts';
import { execPayer, shellProgram, testFolder, textAt } from './programs.ts';

/** Pays in a process of its own, which is killed as soon as its program has been told what to pay. */
async function killedWhilePaying(command: string, evidenceFolder: string, told: string): Promise<void> {
  const program = bundled(`
    import { openExecPayer } from './src/payer/exec-payer.ts';
    import { findPayerProgram } from './src/payer/payer-program.ts';
    const { command, evidenceFolder, payment } = JSON.parse(process.argv[1]);
    const payer = await openExecPayer({
      program: findPayerProgram({ command, flag: '', env: process.env, passedVariables: [] }),
      evidenceFolder,
      timeoutMs: 60_000,
      promises: { idempotentForMs: null, repeatsAnswers: false, quietMs: 0 },
      lookUp: undefined,
      secrets: [],
      nowMs: Date.now(),
    });
    await payer.pay({ ...payment, amount: BigInt(payment.amount) });
  `);
  const payment = { ...paymentOf(), amount: String(paymentOf().amount) };
  const argument = JSON.stringify({ command, evidenceFolder, payment });
  const owner = spawn(process.execPath, ['--input-type=module', '-e', program, argument], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(owner, 'exit');
  await vi.waitFor(() => expect(textAt(told)).toContain('"key"'), { timeout: 20_000 });
  owner.kill('SIGKILL');
  await ended;
}

it.each([
  [`echo working >&2; echo '{"outcome":"paid","ref":"R-9"}'`, { kind: 'paid', ref: 'R-9' }],
  [`echo '{"outcome":"refused","message":"no"}'; exit 10`, { kind: 'refused', message: 'no' }],
  ['exit 0', { kind: 'none' }],
])(
  'a program outlives the process that called it, is seen at work, and its word is found: %s',
  async (lines, found) => {
    const folder = testFolder();
    const evidenceFolder = join(folder, 'evidence');
    const command = shellProgram(`cat > told; while [ ! -e go ]; do sleep 0.02; done; ${lines}`, { folder });
    await killedWhilePaying(command, evidenceFolder, join(folder, 'told'));
    const payer = await execPayer({ command, evidenceFolder });
    const { key } = paymentOf();
    const { pid } = JSON.parse(readFileSync(evidenceFiles(evidenceFolder, key, 1).pid, 'utf8'));
    expect(await payer.evidence(key, 1)).toEqual({
      kind: 'at-work',
      message: `the payer it called is still at work (process ${pid})`,
    });
    writeFileSync(join(folder, 'go'), '');
    await vi.waitFor(async () => expect((await payer.evidence(key, 1)).kind).not.toBe('at-work'), {
      timeout: 20_000,
    });
    expect(await payer.evidence(key, 1)).toEqual(found);
  },
);
