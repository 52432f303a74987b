import { orderItemView } from '../../../output/views/views.ts';
import { getCommand } from '../../templates/record/record-command.ts';

export const command = getCommand({
  operation: 'getOrderItem',
  view: orderItemView,
  examples: ['reviewctl order-items get 815 1623'],
});
