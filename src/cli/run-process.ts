import { systemClock } from '../base/clock.ts';
import { type ExitCode, Failure } from '../base/failure.ts';
import { systemRandom } from '../base/random.ts';
import { version } from '../base/version.ts';
import { systemStreams, writeOutput } from '../output/terminal/streams.ts';
import { completionCommand } from './commands/completion-scripts.ts';
import type { Context } from './runtime/command.ts';

/** The signals that end a run early, and their exit codes. */
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143 } as const satisfies Record<string, ExitCode>;

/**
 * Runs the command line of `process` and resolves to the exit code. After the first signal no new work starts; the
 * second one ends the process at once.
 */
export async function runProcess(process: NodeJS.Process): Promise<ExitCode> {
  const stopWatching = watchForSilence(process);
  const exitCode = await runProgram(process.argv.slice(2), {
    streams: systemStreams(process),
    // A getter, because the first access opens the stream.
    get stdin() {
      return process.stdin;
    },
    env: process.env,
    get cwd() {
      return workingFolder(process);
    },
    clock: systemClock,
    random: systemRandom,
    ...watchSignals(process),
  });
  stopWatching();
  return exitCode;
}

/** @throws Failure('unreadable-path') if the folder was removed. */
function workingFolder(process: NodeJS.Process): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new Failure(
      'unreadable-path',
      'the working folder no longer exists',
      'change to an existing folder: cd ~',
      {
        cause: error,
      },
    );
  }
}

/** The first signal aborts `stopping`, with its failure as the reason; the second one aborts `leaving`. */
function watchSignals(process: NodeJS.Process): { stopping: AbortSignal; leaving: AbortSignal } {
  const [stopping, leaving] = [new AbortController(), new AbortController()];
  for (const [signal, code] of Object.entries(signals)) {
    process.on(signal, () => {
      if (stopping.signal.aborted) {
        leaving.abort();
        process.exit(code);
      }
      const kind = code === 130 ? 'interrupted' : 'terminated';
      stopping.abort(new Failure(kind, `${kind} before the end`));
    });
  }
  return { stopping: stopping.signal, leaving: leaving.signal };
}

/**
 * Reports a command that never ends although the process has nothing left to wait for. Node.js alone would exit
 * silently, with an exit code that means something else here.
 * @returns a function that ends the watch.
 */
function watchForSilence(process: NodeJS.Process): () => void {
  const speak = () => {
    process.stderr.write(
      'error: the command stopped before its end: it waits for an event that can no longer happen\n' +
        `hint: this is a bug in reviewctl ${version} (Node ${process.version}); please report it with the ` +
        `command you ran\n`,
    );
    process.exit(1);
  };
  process.once('beforeExit', speak);
  return () => process.off('beforeExit', speak);
}

/**
 * Runs the command of `argv` (without program names), and writes the reason of a failure to stderr. Never rejects. Only
 * the called command is loaded; completion, which has to be instant, loads none.
 */
export async function runProgram(argv: readonly string[], context: Context): Promise<ExitCode> {
  if (argv[0] === completionCommand) return complete(argv.slice(1), context);
  const words = argv[0]?.startsWith('-') ? await reordered(argv) : argv;
  const { runCommandLine } = await import('./command-line.ts');
  return runCommandLine(words, context, runProgram);
}

/** Moves leading flags behind the command, in the order in which they are read. */
async function reordered(argv: readonly string[]): Promise<readonly string[]> {
  const { withLeadingFlagsBehind } = await import('./help/command-start.ts');
  return withLeadingFlagsBehind(argv);
}

/** Completion never reports an error to the shell. */
async function complete(argv: readonly string[], context: Context): Promise<ExitCode> {
  try {
    const { completionLines } = await import('./help/complete.ts');
    const lines = await completionLines(argv[0] === '--' ? argv.slice(1) : argv, context);
    await writeOutput(context.streams, lines.map((line) => `${line}\n`).join(''));
    return 0;
  } catch {
    return 1;
  }
}
