import { orderView } from '../../../output/views/views.ts';
import { recordCommand } from '../../templates/record/record-command.ts';

export const command = recordCommand({
  operation: 'updateOrder',
  view: orderView,
  examples: [
    'reviewctl orders update 815 --member-origin-id m-77 --buyer-phone 010-1234-5678',
    'reviewctl orders update 815 --alimtalk-template-code null',
  ],
});
