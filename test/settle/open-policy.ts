import type { Policy } from '../../src/settle/rules/policy.ts';

/** Pays everything that is due. */
export const openPolicy: Policy = {
  maxPerReward: null,
  maxPerMemberPerDay: null,
  maxPerDay: null,
  maxPerRun: { amount: null, count: null },
};
