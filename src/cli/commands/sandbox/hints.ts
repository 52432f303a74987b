import { counted } from '../../../output/terminal/totals.ts';
import { date, flag, note, number, type View, word } from '../../../output/views/view.ts';
import { connectionFlags, outputFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { printRecords } from '../../runtime/print.ts';
import { useService } from '../../runtime/session.ts';
import { controlRecords, controlRequest } from './control-request.ts';

const view: View = {
  noun: 'hint',
  id: 'rewardId',
  csvColumns: ['id', 'time', 'rewardId', 'status', 'isPaid', 'message'],
  columns: [
    word('reward', 'rewardId'),
    date('time'),
    number('status'),
    flag('paid', 'isPaid'),
    note('message'),
  ],
};

export const command = defineCommand({
  flags: { ...outputFlags, ...connectionFlags },
  examples: ['reviewctl sandbox hints', "reviewctl sandbox hints -o ndjson | jq 'select(.status >= 400)'"],
  exitCodes: [4, 5],
  run: async (invocation) => {
    const service = await useService(invocation);
    const { notices } = invocation;
    const hints = await controlRequest(service, 'listHints', controlRecords);
    await printRecords(invocation, view, hints);
    notices.summary(counted(hints.length, view.noun));
  },
});
