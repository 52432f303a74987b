import { systemClock } from '../base/clock.ts';
import { type ExitCode, Failure, strongestExitCode } from '../base/failure.ts';
import { systemRandom } from '../base/random.ts';
import { systemStreams } from '../output/streams.ts';
import { runProgram } from './program.ts';

/** What ends a run early, the exit code it stands for, and what to say. */
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143 } as const satisfies Record<string, ExitCode>;

/**
 * Runs the command line of `process` and resolves to the exit code. The first signal stops it from taking new work, the second
 * ends it at once.
 */
export async function runProcess(process: NodeJS.Process): Promise<ExitCode> {
  const interruption = watchSignals(process);
  const exitCode = await runProgram(process.argv.slice(2), {
    streams: systemStreams(process),
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
