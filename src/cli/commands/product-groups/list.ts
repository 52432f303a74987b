import { productGroupView } from '../../../output/views/views.ts';
import { listCommand } from '../../templates/list/list-command.ts';

export const productGroupsList = listCommand({
  operation: 'listProductGroups',
  view: productGroupView,
  changes: {
    kind: 'untold',
    reason: 'the service cannot be asked for the product groups changed since a time',
  },
  examples: [
    'reviewctl product-groups list --ordering name',
    "reviewctl product-groups list --name 'Mugs' -o json",
  ],
});
