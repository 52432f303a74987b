import { productView } from '../../output/views.ts';
import { listCommand } from '../list-command.ts';

export const productsList = listCommand('listProducts', productView, [
  'reviewctl products list --is-alimtalk-enabled true',
  'reviewctl products list --origin-ids A-1,A-2 -o ndjson',
]);
