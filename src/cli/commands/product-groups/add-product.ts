import { productGroupView } from '../../../output/views/views.ts';
import { recordCommand } from '../../templates/record/record-command.ts';

export const command = recordCommand({
  operation: 'addProductToGroup',
  view: productGroupView,
  examples: ['reviewctl product-groups add-product 12 4711'],
});
