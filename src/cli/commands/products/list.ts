import { productView } from '../../../output/views/views.ts';
import { listCommand } from '../../templates/list/list-command.ts';

export const command = listCommand({
  operation: 'listProducts',
  view: productView,
  changes: { kind: 'unsupported', reason: 'the service does not show when a product was changed' },
  examples: [
    'reviewctl products list --is-alimtalk-enabled true',
    'reviewctl products list --origin-ids A-1,A-2 -o ndjson',
  ],
});
