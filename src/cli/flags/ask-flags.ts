import { groupFlags, switchFlag } from './flags.ts';

/** Of every command that asks before it acts. */
export const askFlags = groupFlags('Questions', {
  yes: switchFlag({ help: 'answer yes to what would be asked' }),
  noInput: switchFlag({ help: 'ask nothing: refuse what would have to be asked' }),
});
