import { orderView } from '../../../output/views/views.ts';
import { recordCommand } from '../../templates/record/record-command.ts';

export const command = recordCommand({
  operation: 'getOrder',
  view: orderView,
  examples: ['reviewctl orders get 815', 'reviewctl orders get 815 --fields originId,items'],
});
