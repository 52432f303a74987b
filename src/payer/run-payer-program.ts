import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';
import { messageOf, systemCodeOf } from '../base/failure.ts';
import { childTraceparent } from '../base/trace-context.ts';
import type { PayerProgram } from './payer-program.ts';

/** The end of a program. */
export type ProgramEnd =
  | { readonly kind: 'exited'; readonly code: number }
  /** Killed by another sender's signal. */
  | { readonly kind: 'killed'; readonly signal: string }
  | { readonly kind: 'timed-out' }
  /** Its output was too large; it was stopped unless it ended before. */
  | { readonly kind: 'overflowed' }
  /** It survived its kill signal. */
  | { readonly kind: 'unstoppable' }
  /** It never ran, or never received its input. */
  | { readonly kind: 'not-started'; readonly code: string | undefined; readonly message: string };

interface ProgramRun {
  readonly program: PayerProgram;
  /** Additional variables besides those of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** New files that only this user can read, and that outlive this process. */
  readonly stdoutPath: string;
  readonly stderrPath: string;
  readonly input: string;
  readonly timeoutMs: number;
  /** Called once it runs, before it receives its input. If this throws, the program is stopped without input. */
  readonly onSpawned?: (pid: number) => void;
}

/** The time to wait for the end of a killed program, in milliseconds. */
export const killWaitMs = 5000;
/** The maximum size of each output, in bytes; checked at intervals and at the end. */
export const outputBytesMaximum = 1 << 20;
const outputLookMs = 250;

/**
 * Blank lines that the output overwrites. On a full disk, an outcome might otherwise not be written, and the exit code
 * alone would decide. Longer output has no such reserve.
 */
const outputRoom = Buffer.alloc(8192, '\n');

/**
 * Runs a program in its own process group, without a shell. Its output goes to files, so that it continues undisturbed
 * if this process ends first. Resolves within `timeoutMs` + `killWaitMs`. Rejects only if its files cannot be created;
 * nothing has run then.
 */
export async function runPayerProgram(run: ProgramRun): Promise<ProgramEnd> {
  const stdout = openSync(run.stdoutPath, 'wx', 0o600);
  try {
    writeSync(stdout, outputRoom, 0, outputRoom.length, 0);
    const stderr = openSync(run.stderrPath, 'wx', 0o600);
    try {
      return await runWith(run, { stdout, stderr });
    } finally {
      closeSync(stderr);
    }
  } finally {
    closeSync(stdout);
  }
}

interface Outputs {
  readonly stdout: number;
  readonly stderr: number;
}

async function runWith(run: ProgramRun, outputs: Outputs): Promise<ProgramEnd> {
  const { program, env, input } = run;
  const { trace } = program;
  let child: ChildProcess;
  try {
    child = spawn(program.path, program.args, {
      cwd: program.folder,
      // A program that continues the trace of the settlement gets its own span.
      env: { ...program.env, ...(trace && { TRACEPARENT: childTraceparent(trace) }), ...env },
      stdio: ['pipe', outputs.stdout, outputs.stderr],
      detached: true,
      windowsHide: true,
    });
  } catch (error) {
    return notStarted(error);
  }
  const { pid } = child;
  const end = endOf(child);
  // Without an id there is no process, and a signal to "its" group would reach our own.
  if (pid === undefined) return end;
  // A program may end without reading its input.
  child.stdin?.on('error', () => undefined);
  try {
    run.onSpawned?.(pid);
  } catch (error) {
    killGroup(pid);
    child.stdin?.destroy();
    await end;
    return notStarted(error);
  }
  child.stdin?.end(input);
  return watched(run, { child, pid, end, outputs });
}

interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly end: Promise<ProgramEnd>;
  readonly outputs: Outputs;
}

/** Waits for the end, and enforces the time limit. */
function watched({ timeoutMs }: ProgramRun, { child, pid, end, outputs }: Running): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    let stopped: ProgramEnd | undefined;
    let killWait: NodeJS.Timeout | undefined;
    const stop = (why: ProgramEnd) => {
      if (stopped !== undefined) return;
      stopped = why;
      killGroup(pid);
      killWait = setTimeout(() => {
        // Lets this process exit without it.
        child.unref();
        child.stdin?.destroy();
        finish({ kind: 'unstoppable' });
      }, killWaitMs);
    };
    const finish = (how: ProgramEnd) => {
      clearTimeout(deadline);
      clearInterval(look);
      clearTimeout(killWait);
      resolve(how);
    };
    const deadline = setTimeout(() => stop({ kind: 'timed-out' }), timeoutMs);
    const look = setInterval(() => {
      if (isTooLarge(outputs)) stop({ kind: 'overflowed' });
    }, outputLookMs);
    void end.then((how) => finish(stopped ?? (isTooLarge(outputs) ? { kind: 'overflowed' } : how)));
  });
}

function endOf(child: ChildProcess): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) resolve(notStarted(error));
    });
    child.once('exit', (code, signal) => {
      resolve(code === null ? { kind: 'killed', signal: signal ?? 'a signal' } : { kind: 'exited', code });
    });
  });
}

function notStarted(error: unknown): ProgramEnd {
  const cause = error instanceof Error ? error.cause : undefined;
  return {
    kind: 'not-started',
    code: systemCodeOf(error) ?? systemCodeOf(cause),
    message: messageOf(error),
  };
}

/** Kills a process and its descendants. Use only for a process known to lead its group. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

function isTooLarge({ stdout, stderr }: Outputs): boolean {
  return [stdout, stderr].some((output) => fstatSync(output).size > outputBytesMaximum);
}
