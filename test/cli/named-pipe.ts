import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanEnvironment, runShell, temporaryFolder } from './run-cli.ts';

/** A folder with a named pipe without a writer, and a function that runs commands in it. */
export function place() {
  const folder = temporaryFolder();
  execFileSync('sh', ['-c', 'mkfifo -m 600 "$0"', join(folder, 'pipe')]);
  writeFileSync(join(folder, 'items.csv'), 'orderOriginId,originId,productOriginId\nO1,I1,P1\n');
  const env = {
    ...cleanEnvironment(folder),
    REVIEWCTL_BASE_URL: 'http://127.0.0.1:9',
    REVIEWCTL_TOKEN: 'unused',
  };
  const run = async (line: string, more: Readonly<Record<string, string>> = {}) => {
    const { stderr, exitCode } = await runShell(line, { cwd: folder, env: { ...env, ...more } });
    return { stderr, exitCode };
  };
  return { folder, run };
}

/** A push of the files that follow; it needs no service. */
export const push = 'reviewctl orders push --dry-run';
