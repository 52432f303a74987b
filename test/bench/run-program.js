import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const reporter = fileURLToPath(new URL('report-usage.cjs', import.meta.url));

/**
 * Runs a program to its end. Returns its elapsed seconds and, for a Node program, its processor seconds and its peak
 * memory in MiB. Killed if `signal` aborts.
 * @throws Error with its standard error if the program fails.
 */
export async function runProgram(command, args, { folder, signal, env = {} }) {
  // Several may run at once.
  const usageFile = join(folder, `usage-${randomUUID()}.json`);
  const startedMs = performance.now();
  const child = spawn(command, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...cleanEnvironment(), ...env, BENCH_USAGE_FILE: usageFile },
    signal,
    killSignal: 'SIGKILL',
  });
  const complaints = [];
  child.stderr.on('data', (chunk) => complaints.push(chunk));
  child.on('error', (error) => complaints.push(Buffer.from(error.message)));
  // Also waits for a killed program, which may write to the folder until it ends.
  const status = await new Promise((resolve) => child.on('close', resolve));
  const seconds = (performance.now() - startedMs) / 1000;
  if (status !== 0) {
    throw new Error(
      `${command} ${args.join(' ')} ended with ${status}: ${Buffer.concat(complaints).toString()}`,
    );
  }
  const usage = existsSync(usageFile) ? JSON.parse(readFileSync(usageFile, 'utf8')) : {};
  rmSync(usageFile, { force: true });
  return { seconds, ...usage };
}

/** Runs a Node program like `runProgram`. */
export function runNode(args, options) {
  return runProgram(process.execPath, ['--require', reporter, ...args], options);
}

/** The environment without the user's own settings. */
function cleanEnvironment() {
  const isOurs = ([name]) => /^REVIEWCTL_|^NODE_OPTIONS$|_proxy$/i.test(name);
  return Object.fromEntries(Object.entries(process.env).filter((entry) => !isOurs(entry)));
}
