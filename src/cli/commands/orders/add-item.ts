import { orderView } from '../../../output/views/views.ts';
import { recordCommand } from '../../templates/record/record-command.ts';

export const command = recordCommand({
  operation: 'addOrderItem',
  view: orderView,
  examples: [
    'reviewctl orders add-item 815 --origin-id 20261120-01-3 --product-origin-id MUG-1 --paid-price 12900',
    "reviewctl orders add-item 815 --origin-id 20261120-01-4 --product-origin-id MUG-1 --selected-options '색상=브라운'",
  ],
});
