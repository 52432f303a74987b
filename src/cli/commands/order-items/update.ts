import { orderItemView } from '../../../output/views/views.ts';
import { recordCommand } from '../../templates/record/record-command.ts';

export const command = recordCommand({
  operation: 'updateOrderItem',
  view: orderItemView,
  examples: [
    'reviewctl order-items update 1623 --product-origin-id MUG-1 --status DELIVERED',
    'reviewctl order-items update 1623 --product-origin-id MUG-1 --shipment-company-code 04 ' +
      '--shipment-tracking-number 693340618584',
  ],
});
