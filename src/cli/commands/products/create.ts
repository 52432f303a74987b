import { productView } from '../../../output/views/views.ts';
import { recordCommand } from '../../templates/record/record-command.ts';

export const command = recordCommand({
  operation: 'createProduct',
  view: productView,
  examples: [
    "reviewctl products create --origin-id MUG-1 --name 'Blue mug' --image-url https://img.example.com/mug.jpg",
    'reviewctl products create --origin-id MUG-1 --name Mug --categories mugs --categories gifts',
    'reviewctl products create --body @product.json --dry-run',
  ],
});
