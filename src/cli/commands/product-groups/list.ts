import { productGroupView } from '../../../output/views/views.ts';
import { listCommand } from '../../templates/list/list-command.ts';

export const command = listCommand({
  operation: 'listProductGroups',
  view: productGroupView,
  changes: {
    kind: 'unsupported',
    reason: 'the service cannot list product groups by time of change',
  },
  examples: [
    'reviewctl product-groups list --ordering name',
    "reviewctl product-groups list --name 'Mugs' -o json",
  ],
});
