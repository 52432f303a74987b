import { visibilityCommand } from '../../templates/batch/visibility-command.ts';

export const command = visibilityCommand({
  isVisible: true,
  verb: 'publish',
  gerund: 'publishing',
  examples: [
    'reviewctl reviews publish 77 78',
    'reviewctl reviews list --is-visible false -o ids | reviewctl reviews publish -',
  ],
});
