import { expect, it } from 'vitest';
import { searchSetting } from './model.ts';
import { mutants } from './model-mutants.ts';
import { protocol } from './model-protocol.ts';

/** The ledger's own guard is taken away, so that the rule alone is what is missing. */
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
