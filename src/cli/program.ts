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
  const words = argv[0]?.startsWith('-') ? await reordered(argv) : argv;
  const { runCommandLine } = await import('./command-line.ts');
  return runCommandLine(words, context, runProgram);
}

/** The words with the flags behind the command, in the order in which they are read. */
async function reordered(argv: readonly string[]): Promise<readonly string[]> {
  const { withLeadingFlagsBehind } = await import('./help/leading-flags.ts');
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
