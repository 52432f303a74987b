import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { type ServedSandbox, type ServeOptions, serveSandbox } from '../../src/sandbox/serve.ts';
import type { CommandLine } from './run-cli.ts';
import { type CliResult, environmentAt, temporaryFolder } from './run-cli.ts';
import { type ProgramOptions, runInProcess } from './run-program.ts';

/** A sandbox on loopback, a new working folder and a new state. */
export interface Place {
  readonly sandbox: ServedSandbox;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs a command line in this process, in the folder. */
  readonly run: (line: CommandLine, options?: ProgramOptions) => Promise<CliResult>;
  /** Writes a file with these lines to the folder; returns its path. */
  readonly write: (name: string, lines: readonly string[]) => string;
}

const root = temporaryFolder();
let places = 0;

/** Opens a new place for the calling test. */
export async function openPlace(
  options: Partial<ServeOptions> = {},
  variables: Readonly<Record<string, string>> = {},
): Promise<Place> {
  places += 1;
  const folder = join(root, `place-${places}`);
  mkdirSync(folder);
  const sandbox = await serveSandbox({ port: 0, ...options });
  onTestFinished(() => sandbox.close());
  const env = {
    ...environmentAt(folder, sandbox),
    ...variables,
  };
  return {
    sandbox,
    folder,
    env,
    run: (line, given = {}) => runInProcess(line, { env, cwd: folder, ...given }),
    write: (name, lines) => {
      const path = join(folder, name);
      writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
      return path;
    },
  };
}

/** Serves one sandbox for all tests of a file. */
export async function sharedSandbox(options: Partial<ServeOptions> = {}): Promise<ServedSandbox> {
  const sandbox = await serveSandbox({ port: 0, ...options });
  afterAll(() => sandbox.close());
  return sandbox;
}

/** Parses the records that a command printed as NDJSON. */
export function recordsIn({ stdout }: CliResult) {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
