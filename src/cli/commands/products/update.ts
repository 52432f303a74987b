import { productView } from '../../../output/views/views.ts';
import { writeCommand } from '../../templates/record/record-command.ts';

export const command = writeCommand({
  operation: 'updateProduct',
  view: productView,
  examples: [
    "reviewctl products update 4711 --name 'Green mug' --is-review-disabled false",
    "reviewctl products update 4711 --categories '[]'",
  ],
});
