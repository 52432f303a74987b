import { productView } from '../../../output/views/views.ts';
import { recordCommand } from '../../templates/record/record-command.ts';

export const command = recordCommand({
  operation: 'updateProduct',
  view: productView,
  examples: [
    "reviewctl products update 4711 --name 'Green mug' --is-review-disabled false",
    "reviewctl products update 4711 --categories '[]'",
  ],
});
