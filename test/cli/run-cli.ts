import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const programPath = join(import.meta.dirname, '../../bin/reviewctl.js');
const compiledFolder = join(import.meta.dirname, '../../node_modules/.cache');

export interface CliResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  readonly stdin?: string;
}

/** A folder that is gone when the run of tests is. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'reviewctl-test-'));
}

/** An environment in which nothing of the user's own settings is seen. */
export function cleanEnvironment(folder: string): Record<string, string> {
  const { PATH = '' } = process.env;
  return {
    PATH,
    HOME: folder,
    // Compiled once for all tests; `loads.test.ts` looks at what is kept where.
    XDG_CACHE_HOME: compiledFolder,
    REVIEWCTL_STATE_DIR: join(folder, 'state'),
    // Temporary files are in memory, and a ledger there ends with its test.
    REVIEWCTL_LEDGER_ANYWHERE: 'true',
    REVIEWCTL_CONFIG_DIR: join(folder, 'config'),
  };
}

/** Runs the built program as a process of its own, stdout and stderr as pipes. */
export function runCli(
  args: readonly string[],
  { env = {}, cwd, stdin = '' }: CliOptions = {},
): Promise<CliResult> {
  return runCommand(process.execPath, [programPath, ...args], { env, cwd, stdin });
}

/** Runs lines of bash in which `reviewctl` is the built program. */
export async function runShell(
  lines: string,
  { env = {}, cwd, stdin = '' }: CliOptions = {},
): Promise<CliResult> {
  const commands = mkdtempSync(join(tmpdir(), 'reviewctl-bin-'));
  symlinkSync(programPath, join(commands, 'reviewctl'));
  try {
    const PATH = `${commands}:${env['PATH'] ?? process.env['PATH']}`;
    return await runCommand('bash', ['-c', `set -o pipefail\n${lines}`], {
      env: { ...env, PATH },
      cwd,
      stdin,
    });
  } finally {
    rmSync(commands, { recursive: true });
  }
}

/** Runs a program in this environment, stdout and stderr as pipes. */
export function runCommand(
  program: string,
  args: readonly string[],
  { env = {}, cwd, stdin = '' }: CliOptions,
): Promise<CliResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, cwd, stdio: 'pipe' });
    const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode, stdout: stdout(), stderr: stderr() }));
    // A program that never reads its input closes the pipe, which is its right.
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
  });
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}
