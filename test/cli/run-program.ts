import { Readable } from 'node:stream';
import type { Clock } from '../../src/base/clock.ts';
import { seededRandom } from '../../src/base/random.ts';
import { runProgram } from '../../src/cli/run-process.ts';
import { SkippingClock } from '../client/skipping-clock.ts';
import { type CaptureOptions, capturedStreams } from '../output/captured-streams.ts';
import type { CliOptions, CliResult, CommandLine } from './run-cli.ts';
import { typedWords } from './run-cli.ts';

export interface ProgramOptions extends CliOptions, Omit<CaptureOptions, 'env'> {
  /** Aborts as Ctrl-C does; by default never. */
  readonly stopping?: AbortSignal;
  /** By default a clock on which pauses take no time. */
  readonly clock?: Clock;
}

const home = process.cwd();
let running = 0;

/**
 * Runs a command line in this process, with captured streams. Changes the folder of the process to that of the run
 * meanwhile, so that relative paths are found.
 */
export async function runInProcess(
  line: CommandLine,
  { env = {}, cwd, stdin = '', stopping, clock = new SkippingClock(), ...capture }: ProgramOptions = {},
): Promise<CliResult> {
  const streams = capturedStreams({ ...capture, env });
  if (cwd !== undefined) process.chdir(cwd);
  running += 1;
  const exitCode = await runProgram(typedWords(line), {
    streams,
    stdin: Readable.from([stdin]),
    env,
    cwd: cwd ?? import.meta.dirname,
    clock,
    random: seededRandom(1),
    stopping: stopping ?? new AbortController().signal,
  });
  running -= 1;
  if (running === 0) process.chdir(home);
  return { exitCode, stdout: streams.outputText(), stderr: streams.errorText() };
}
