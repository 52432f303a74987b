import { productView } from '../../../output/views/views.ts';
import { recordCommand } from '../../templates/record/record-command.ts';

export const command = recordCommand({
  operation: 'getProduct',
  view: productView,
  examples: ['reviewctl products get 4711', 'reviewctl products get 4711 --fields name,image.url'],
});
