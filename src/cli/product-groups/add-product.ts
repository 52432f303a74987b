import { productGroupView } from '../../output/views/views.ts';
import { writeCommand } from '../record-frame/record-command.ts';

export const productGroupsAddProduct = writeCommand({
  operation: 'addProductToGroup',
  view: productGroupView,
  examples: ['reviewctl product-groups add-product 12 4711'],
});
