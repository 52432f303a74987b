import { productGroupView } from '../../../output/views/views.ts';
import { writeCommand } from '../../templates/record/record-command.ts';

export const command = writeCommand({
  operation: 'addProductToGroup',
  view: productGroupView,
  examples: ['reviewctl product-groups add-product 12 4711'],
});
