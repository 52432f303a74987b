import { visibilityCommand } from '../../templates/batch/visibility-command.ts';

export const reviewsShow = visibilityCommand({
  isVisible: true,
  verb: 'show',
  gerund: 'showing',
  examples: [
    'reviewctl reviews show 77 78',
    'reviewctl reviews list --is-visible false -o ids | reviewctl reviews show -',
  ],
});
