import type { ExitCode } from '../base/failure.ts';
import { writeOutput } from '../output/terminal/streams.ts';
import { completionCommand } from './commands/completion-scripts.ts';
import type { Context } from './runtime/context.ts';

/**
 * Runs the command of `argv` (without program names), and writes the reason of a failure to stderr. Never rejects. Only
 * the called command is loaded; completion, which has to be instant, loads none.
 */
export async function runProgram(argv: readonly string[], context: Context): Promise<ExitCode> {
  if (argv[0] === completionCommand) return complete(argv.slice(1), context);
  const { runCommandLine } = await import('./command-line.ts');
  return runCommandLine(argv, context, runProgram);
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
