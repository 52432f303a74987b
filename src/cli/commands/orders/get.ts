import { orderView } from '../../../output/views/views.ts';
import { getCommand } from '../../templates/record/record-command.ts';

export const command = getCommand({
  operation: 'getOrder',
  view: orderView,
  examples: ['reviewctl orders get 815', 'reviewctl orders get 815 --fields originId,items'],
});
