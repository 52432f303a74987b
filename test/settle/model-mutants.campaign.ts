import { expect, it } from 'vitest';
import { searchSetting } from './model.ts';
import { mutants } from './model-mutants.ts';
import { protocol } from './model-protocol.ts';
import { traceText } from './model-search.ts';
import { settings } from './model-settings.ts';

/** The ledger's own guard is off, so that nothing else replaces the removed rule. */
it.each(mutants)(
  'without $without a promise is broken, and the model tells which',
  ({ setting, changes, broken }) => {
    const { found } = searchSetting(setting, {
      protocol: { ...protocol, ...changes },
      isLawful: false,
      statesMaximum: 300_000,
    });
    expect(found?.breach).toBe(broken);
  },
);

it('a broken promise is reported with the shortest way to it, in words', () => {
  const mutant = mutants.find(({ without }) => without.startsWith('the outcome being durable'));
  const { found } = searchSetting(settings.plain, {
    protocol: { ...protocol, ...mutant?.changes },
    isLawful: false,
    statesMaximum: 300_000,
  });
  expect(found && traceText(found)).toBe(`broken: SUCCESS told means paid, durably, and once
1. A lists reward 0
2. A notes reward 0
3. A claims reward 0
4. A makes call 1 for reward 0
5. the payer pays call 1 of reward 0 and says so
6. A goes on to tell
7. A tells SUCCESS: confirmed`);
});
