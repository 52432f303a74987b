import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findPayerProgram } from '../../src/payer/payer-program.ts';
import { runPayerProgram } from '../../src/payer/run-payer-program.ts';
import { shellProgram, testFolder } from './programs.ts';

it('a program that ends without reading a long input has its own outcome', async () => {
  const folder = testFolder();
  const end = await runPayerProgram({
    program: findPayerProgram({
      command: shellProgram('exit 10'),
      flag: '--payer-command',
      env: {},
      passedVariables: [],
    }),
    env: {},
    stdoutPath: join(folder, 'stdout'),
    stderrPath: join(folder, 'stderr'),
    input: 'x'.repeat(1 << 22),
    timeoutMs: 20_000,
  });
  expect(end).toEqual({ kind: 'exited', code: 10 });
});
