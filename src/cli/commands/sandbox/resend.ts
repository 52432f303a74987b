import * as z from 'zod';
import { counted } from '../../../output/terminal/totals.ts';
import { connectionFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { useService } from '../../runtime/session.ts';
import { controlRequest } from './control-request.ts';

export const command = defineCommand({
  argument: { term: '<rewards...>', help: 'rewards of any status, by their ids' },
  flags: connectionFlags,
  examples: ['reviewctl sandbox resend 1000042'],
  exitCodes: [4, 5, 6],
  run: async (invocation) => {
    const service = await useService(invocation);
    const reply = z.object({ sent: z.number() });
    const body = { rewardIds: [...invocation.args] };
    const { sent } = await controlRequest(service, 'resendRewards', reply, body);
    invocation.notices.summary(`sent to the webhook again: ${counted(sent, 'reward')}`);
  },
});
