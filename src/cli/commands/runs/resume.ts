import { existsSync } from 'node:fs';
import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import type { Run } from '../../../store/runs/run-log.ts';
import { askFlags } from '../../flags/ask-flags.ts';
import { connectionFlags, stateFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { findRun, runArgument, withRuns } from './open-runs.ts';

export const runsResume = defineCommand({
  argument: runArgument,
  flags: { ...stateFlags, ...connectionFlags, ...askFlags },
  examples: ['reviewctl runs resume last'],
  exitCodes: [3, 4, 5, 6, 7, 8, 9, 11],
  run: async (invocation) => {
    const { argv, args, context, notices, program, sources } = invocation;
    const [word = ''] = args;
    const run = await withRuns(invocation, async ({ journal }) => findRun(journal, word));
    checkResumable(run);
    const [noun = '', verb = '', ...rest] = withProfile(run.command, sources.profile.name);
    // What was typed here about the service comes first, so that what was typed then outranks it.
    const typedHere = argv.slice(2);
    const command = [noun, verb, ...typedHere.toSpliced(typedHere.indexOf(word), 1), ...rest];
    notices.info(hint`in ${run.folder}: ${reviewctl`${command}`}`);
    // Paths of the command, and what it loads, are relative to the folder of the process.
    process.chdir(run.folder);
    return program.run(command, { ...context, cwd: run.folder });
  },
});

/** The command with the name that its profile has by now. */
function withProfile(command: readonly string[], profile: string): readonly string[] {
  return command.map((word, index) => {
    if (command[index - 1] === '--profile') return profile;
    return word.startsWith('--profile=') ? `--profile=${profile}` : word;
  });
}

/** @throws Failure where the command of the run cannot be run as it was. */
function checkResumable({ id, command, files, folder }: Run): void {
  if (files.some(isStandardInput)) {
    throw new Failure(
      'usage',
      `run ${id} read standard input, which is no longer available`,
      hint`pass it again: ${reviewctl`${command} < FILE`}`,
    );
  }
  const pipe = files.find(isPipeOfShell);
  if (pipe !== undefined) {
    throw new Failure(
      'usage',
      `run ${id} read ${pipe}, a shell pipe that no longer exists`,
      hint`use a file instead: ${reviewctl`${command}`}`,
    );
  }
  if (command.some((word) => word.includes('[redacted]'))) {
    throw new Failure(
      'usage',
      `the command of run ${id} contained a secret, which was not stored`,
      hint`type it again: ${reviewctl`${command}`}`,
    );
  }
  if (!existsSync(folder)) {
    throw new Failure(
      'unreadable-path',
      `run ${id} was started in ${folder}, which no longer exists`,
      hint`run it where its files are now: ${reviewctl`${command}`}`,
    );
  }
}

function isStandardInput(file: string): boolean {
  return file === '-' || file === '/dev/stdin';
}

/** Whether a path is one that a shell gives for what it redirects, as in `<(gunzip -c items.csv.gz)`. */
function isPipeOfShell(file: string): boolean {
  return /^\/(?:dev|proc\/self)\/fd\/\d+$/.test(file);
}
