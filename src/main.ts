import { type ExitCode, Failure, strongestExitCode } from './base/failure.ts';
import { version } from './base/version.ts';
import { systemStreams, writeOutput } from './output/streams.ts';

/** What ends a run early, the exit code it stands for, and what to say. */
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143 } as const satisfies Record<string, ExitCode>;

/**
 * The program: reads the command line of `process`, runs the command, resolves to the exit code. The first signal stops
 * it from taking new work, the second ends it at once.
 */
export async function main(process: NodeJS.Process): Promise<ExitCode> {
  const argv = process.argv.slice(2);
  const streams = systemStreams(process);
  // Asked for before everything else, so these load nothing unless they cannot be told.
  const text = await plainAnswer(argv, streams.columns);
  if (text !== undefined && (await writeOutput(streams, text).catch(() => undefined)) !== undefined) return 0;
  const [{ runProgram }, { systemClock }, { systemRandom }] = await Promise.all([
    import('./cli/program.ts'),
    import('./base/clock.ts'),
    import('./base/random.ts'),
  ]);
  const interruption = watchSignals(process);
  const exitCode = await runProgram(argv, {
    streams,
    stdin: process.stdin,
    env: process.env,
    cwd: process.cwd(),
    clock: systemClock,
    random: systemRandom,
    stopping: interruption.stopping,
  });
  const signalCode = interruption.exitCode();
  return signalCode === undefined || exitCode === signalCode
    ? exitCode
    : strongestExitCode([exitCode, signalCode]);
}

/** The version, or the help that is asked for in so many words. */
async function plainAnswer(argv: readonly string[], columns: number): Promise<string | undefined> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) return `${version}\n`;
  if (!argv.some((word) => word === '--help' || word === '-h' || word === 'help')) return undefined;
  const { plainHelp } = await import('./cli/help-text.ts');
  return plainHelp(argv, columns);
}

function watchSignals(process: NodeJS.Process) {
  const controller = new AbortController();
  let exitCode: ExitCode | undefined;
  for (const [signal, code] of Object.entries(signals)) {
    process.on(signal, () => {
      if (exitCode !== undefined) process.exit(code);
      exitCode = code;
      const kind = code === 130 ? 'interrupted' : 'terminated';
      controller.abort(
        new Failure(kind, `${kind} before the end`, 'what was begun is on record; the same command goes on'),
      );
    });
  }
  return { stopping: controller.signal, exitCode: () => exitCode };
}
