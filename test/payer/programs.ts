import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type ExecPayerOptions, openExecPayer } from '../../src/payer/exec-payer.ts';
import { type HttpPayerOptions, openHttpPayer } from '../../src/payer/http-payer.ts';
import type { Payer } from '../../src/payer/payer.ts';
import { findPayerProgram } from '../../src/payer/payer-program.ts';
import { noPromises } from './payments.ts';

/** A folder for one test, removed at its end. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'reviewctl-payer-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a shell program with these lines; returns its path. */
export function shellProgram(lines: string, { folder = testFolder(), mode = 0o755 } = {}): string {
  const path = join(folder, 'payer.sh');
  writeFileSync(path, `#!/bin/sh\n${lines}\n`);
  chmodSync(path, mode);
  return path;
}

export interface ProgramSettings extends Partial<Omit<ExecPayerOptions, 'program'>> {
  readonly command: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly passedVariables?: readonly string[];
}

export function execPayer({
  command,
  env = { PATH: process.env['PATH'] },
  passedVariables = [],
  ...options
}: ProgramSettings): Promise<Payer> {
  return openExecPayer({
    program: findPayerProgram({ command, flag: '--payer-command', env, passedVariables }),
    callRecordsFolder: join(testFolder(), 'evidence'),
    timeoutMs: 20_000,
    promises: noPromises,
    lookUp: undefined,
    secrets: [],
    nowMs: Date.now(),
    ...options,
  });
}

/** A payer at this address without idempotency, closed after the test. */
export async function httpPayer(url: string, options: Partial<HttpPayerOptions> = {}): Promise<Payer> {
  const payer = await openHttpPayer({
    url: new URL(url),
    env: {},
    headers: {},
    paidStatuses: new Set(),
    timeoutMs: 10_000,
    promises: noPromises,
    lookUp: undefined,
    callRecordsFolder: testFolder(),
    secrets: [],
    ...options,
  });
  onTestFinished(() => payer.close());
  return payer;
}

/** The text of a file; empty if there is none. */
export function textAt(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
