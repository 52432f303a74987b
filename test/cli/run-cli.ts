import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';

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

/** What is typed behind the name of the program: a line, or parts of one, of which the first and flags may be several words. */
export type CommandLine = string | readonly string[];

/** The words of a command line, of which quoted ones may have blanks. */
export function typedWords(line: CommandLine): readonly string[] {
  const typed = (part: string) => part.match(/(?:[^\s']|'[^']*')+/g) ?? [part];
  return [line]
    .flat()
    .flatMap((part, index) =>
      index === 0 || part.startsWith('-') ? typed(part).map((word) => word.replaceAll("'", '')) : part,
    );
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

/** `cleanEnvironment` of somebody who uses this service. */
export function environmentAt(
  folder: string,
  { baseUrl, token }: { readonly baseUrl: string; readonly token: string },
): Record<string, string> {
  return { ...cleanEnvironment(folder), REVIEWCTL_BASE_URL: baseUrl, REVIEWCTL_TOKEN: token };
}

/** Runs the built program as a process of its own, stdout and stderr as pipes. */
export function runCli(
  line: CommandLine,
  { env = {}, cwd, stdin = '' }: CliOptions = {},
): Promise<CliResult> {
  return runCommand(process.execPath, [programPath, ...typedWords(line)], { env, cwd, stdin });
}

/** Expects that a run ended with this code, and that its messages have each of these. */
export function expectEnd<R extends { readonly exitCode: unknown; readonly stderr?: string }>(
  result: R,
  exitCode: number | null,
  ...messages: readonly (string | RegExp)[]
): R {
  expect(result.exitCode, result.stderr).toBe(exitCode);
  for (const message of messages) expect(result.stderr).toMatch(message);
  return result;
}

/** As `expectEnd`, of a run that printed nothing. */
export function expectNothing<R extends Pick<CliResult, 'exitCode' | 'stdout' | 'stderr'>>(
  result: R,
  exitCode: number | null,
  ...messages: readonly (string | RegExp)[]
): R {
  expect(result.stdout).toBe('');
  return expectEnd(result, exitCode, ...messages);
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
