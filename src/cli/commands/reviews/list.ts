import { reviewView } from '../../../output/views/views.ts';
import { listCommand } from '../../templates/list/list-command.ts';

export const command = listCommand({
  operation: 'listReviews',
  view: reviewView,
  changes: {
    kind: 'timed',
    path: 'updatedAt',
    order: { sort: 'UPDATED_AT', direction: 'DESC' },
  },
  hasTimes: true,
  examples: [
    'reviewctl reviews list --ratings 1,2 --created-at-start 7d',
    'reviewctl reviews list -o csv --excel > reviews.csv',
    'reviewctl reviews list --since-last nightly -o ndjson >> reviews.ndjson',
    "reviewctl reviews list --is-visible true -o ndjson | jq '.text'",
  ],
});
