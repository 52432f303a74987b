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

/** The words after the program name: a line, or parts of one. The first part and flags may be several words. */
export type CommandLine = string | readonly string[];

/** Splits a command line into words; quoted words may contain blanks. */
export function typedWords(line: CommandLine): readonly string[] {
  const typed = (part: string) => part.match(/(?:[^\s']|'[^']*')+/g) ?? [part];
  return [line]
    .flat()
    .flatMap((part, index) =>
      index === 0 || part.startsWith('-') ? typed(part).map((word) => word.replaceAll("'", '')) : part,
    );
}

/** A folder that is removed after the test run. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'reviewctl-test-'));
}

/** An environment without any of the user's own settings. */
export function cleanEnvironment(folder: string): Record<string, string> {
  const { PATH = '' } = process.env;
  return {
    PATH,
    HOME: folder,
    // Compiled once for all tests; `loads.test.ts` checks the files in the cache.
    XDG_CACHE_HOME: compiledFolder,
    REVIEWCTL_STATE_DIR: join(folder, 'state'),
    // Temporary files are in memory, and a ledger there ends with its test.
    REVIEWCTL_LEDGER_ANYWHERE: 'true',
    REVIEWCTL_CONFIG_DIR: join(folder, 'config'),
  };
}

/** `cleanEnvironment` of a user of this service. */
export function environmentAt(
  folder: string,
  { baseUrl, token }: { readonly baseUrl: string; readonly token: string },
): Record<string, string> {
  return { ...cleanEnvironment(folder), REVIEWCTL_BASE_URL: baseUrl, REVIEWCTL_TOKEN: token };
}

/** Runs the built program in a new process, with pipes as stdout and stderr. */
export function runCli(
  line: CommandLine,
  { env = {}, cwd, stdin = '' }: CliOptions = {},
): Promise<CliResult> {
  return runCommand(process.execPath, [programPath, ...typedWords(line)], { env, cwd, stdin });
}

/** Expects this exit code, and each of these texts in the messages. */
export function expectEnd<R extends { readonly exitCode: unknown; readonly stderr?: string }>(
  result: R,
  exitCode: number | null,
  ...messages: readonly (string | RegExp)[]
): R {
  expect(result.exitCode, result.stderr).toBe(exitCode);
  for (const message of messages) expect(result.stderr).toMatch(message);
  return result;
}

/** Like `expectEnd`, and expects that nothing was printed. */
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

/** Runs a program in this environment, with pipes as stdout and stderr. */
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
    // A program may close its input without reading it.
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
  });
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}
