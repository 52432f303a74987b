import { claim, observe } from '../../src/settle/rules/transitions.ts';
import type { Cap, Ledger } from '../../src/store/ledger/ledger.ts';
import { claimOptions, observation } from '../settle/entries.ts';

/** The author of events. */
export const by = 'run';

/** The default scopes of a claim. */
export const day = 'day 2026-01-01';

export const uncapped = (...scopes: readonly string[]): readonly Cap[] =>
  scopes.map((scope) => ({ scope, amount: null, count: null }));

export const seeIn = (ledger: Ledger, rewardId: string, changes: Parameters<typeof observation>[0] = {}) =>
  ledger.change(rewardId, observe(rewardId, observation(changes)), { by });

export const claimIn = (
  ledger: Ledger,
  rewardId: string,
  changes: Parameters<typeof claimOptions>[0] = {},
) => {
  const options = claimOptions(changes);
  return ledger.change(rewardId, claim(options), { by, scopes: options.caps.map(({ scope }) => scope) });
};
