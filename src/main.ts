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
  // Asked for by scripts before everything else, so it loads nothing unless it cannot be told.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    const isTold = await writeOutput(streams, `${version}\n`).catch(() => undefined);
    if (isTold !== undefined) return 0;
  }
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
