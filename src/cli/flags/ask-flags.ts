import { groupFlags, switchFlag } from './flags.ts';

/** Of every command that asks before it acts. */
export const askFlags = groupFlags('Questions', {
  yes: switchFlag({ short: 'y', help: 'answer yes to every question' }),
  noInput: switchFlag({ help: 'never ask; fail where an answer is required' }),
});
