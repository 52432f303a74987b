import { reviewView } from '../../output/views.ts';
import { listCommand } from '../list-command.ts';

export const reviewsList = listCommand('listReviews', reviewView, [
  'reviewctl reviews list --ratings 1,2 --created-at-start 7d',
  'reviewctl reviews list -o csv --excel > reviews.csv',
  "reviewctl reviews list --is-visible true -o ndjson | jq '.text'",
]);
