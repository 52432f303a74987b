import { orderItemView } from '../../../output/views/views.ts';
import { recordCommand } from '../../templates/record/record-command.ts';

export const command = recordCommand({
  operation: 'getOrderItem',
  view: orderItemView,
  examples: ['reviewctl order-items get 815 1623'],
});
