import type { ExitCode } from './base/failure.ts';
import { version } from './base/version.ts';
import { plainHelp } from './cli/help/help-text.ts';
import { systemStreams, writeOutput } from './output/terminal/streams.ts';

/**
 * The program: runs the command line of `process` and resolves to the exit code. This file answers requests for the
 * version or help itself; anything else loads the rest of the program.
 */
export async function main(process: NodeJS.Process): Promise<ExitCode> {
  const argv = process.argv.slice(2);
  const streams = systemStreams(process);
  const text = plainAnswer(argv, streams.columns);
  if (text !== undefined && (await writeOutput(streams, text).catch(() => undefined)) !== undefined) return 0;
  const { runProcess } = await import('./cli/run-process.ts');
  return runProcess(process);
}

function plainAnswer(argv: readonly string[], columns: number): string | undefined {
  const isVersion = argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V');
  return isVersion ? `${version}\n` : plainHelp(argv, columns);
}
