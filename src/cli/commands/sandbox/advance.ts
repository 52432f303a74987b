import * as z from 'zod';
import { parseDuration } from '../../../base/duration.ts';
import { Failure } from '../../../base/failure.ts';
import { counted } from '../../../output/terminal/totals.ts';
import { connectionFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { useService } from '../../runtime/session.ts';
import { controlRequest } from './control-request.ts';

const advanced = z.object({ now: z.string(), endedJobs: z.number(), approvedRewards: z.number() });

const longestDays = 366;

export const command = defineCommand({
  argument: { term: '<duration>', help: `how far, such as 12h or 14d; at most ${longestDays}d` },
  flags: connectionFlags,
  examples: ['reviewctl sandbox advance 14d'],
  exitCodes: [4, 5],
  run: async (invocation) => {
    const ms = durationOf(invocation.args[0] ?? '');
    const service = await useService(invocation);
    const { now, endedJobs, approvedRewards } = await controlRequest(service, 'advance', advanced, { ms });
    invocation.notices.summary(
      `the sandbox is now at ${now}; ${counted(endedJobs, 'job')} ended, ${counted(approvedRewards, 'reward')} ` +
        'became QUEUED',
    );
  },
});

function durationOf(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms >= 1 && ms <= longestDays * 86_400_000) return Math.round(ms);
  throw new Failure(
    'usage',
    `'${text}' is not a duration of at most ${longestDays}d`,
    'give a number with a unit, such as 12h or 14d',
  );
}
