import { categoryView } from '../../../output/views/views.ts';
import { recordCommand } from '../../templates/record/record-command.ts';

export const command = recordCommand({
  operation: 'createCategory',
  view: categoryView,
  examples: [
    'reviewctl categories create --origin-id mugs --name Mugs --parent-origin-id kitchen --position 2',
  ],
});
