import { visibilityCommand } from '../../templates/batch/visibility-command.ts';

export const command = visibilityCommand({
  isVisible: false,
  verb: 'hide',
  gerund: 'hiding',
  examples: [
    'reviewctl reviews hide 77 78',
    'reviewctl reviews list --ratings 1 -o ids | reviewctl reviews hide - --yes',
  ],
});
