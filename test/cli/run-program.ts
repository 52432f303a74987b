import { Readable } from 'node:stream';
import type { Clock } from '../../src/base/clock.ts';
import { seededRandom } from '../../src/base/random.ts';
import { runProgram } from '../../src/cli/program.ts';
import { SkippingClock } from '../client/skipping-clock.ts';
import { type CaptureOptions, capturedStreams } from '../output/captured-streams.ts';
import type { CliOptions, CliResult } from './run-cli.ts';

export interface ProgramOptions extends CliOptions, Omit<CaptureOptions, 'env'> {
  /** Aborted as by Ctrl-C; never, when left out. */
  readonly stopping?: AbortSignal;
  /** One on which pauses take no time, when left out. */
  readonly clock?: Clock;
}

/** Runs a command line in this process, on streams that are kept and a clock on which pauses take no time. */
export async function runInProcess(
  argv: readonly string[],
  { env = {}, cwd, stdin = '', stopping, clock = new SkippingClock(), ...capture }: ProgramOptions = {},
): Promise<CliResult> {
  const streams = capturedStreams({ ...capture, env });
  const folder = process.cwd();
  const exitCode = await runProgram(argv, {
    streams,
    stdin: Readable.from([stdin]),
    env,
    cwd: cwd ?? import.meta.dirname,
    clock,
    random: seededRandom(1),
    stopping: stopping ?? new AbortController().signal,
  });
  // `runs resume` goes to the folder of its run.
  process.chdir(folder);
  return { exitCode, stdout: streams.outputText(), stderr: streams.errorText() };
}
