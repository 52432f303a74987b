import { productGroupView } from '../../output/views.ts';
import { listCommand } from '../list-command.ts';

export const productGroupsList = listCommand('listProductGroups', productGroupView, [
  'reviewctl product-groups list --ordering name',
  "reviewctl product-groups list --name 'Mugs' -o json",
]);
