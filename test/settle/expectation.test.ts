import { expect, it } from 'vitest';
import { checkExpected, type Expectation } from '../../src/settle/flow/expectation.ts';

const due = { count: 2, amount: 15_000_000n };

it.each<[expectation: Expectation, expected: string | undefined]>([
  [{ total: null, count: null }, undefined],
  [{ total: 15_000_000n, count: null }, undefined],
  [{ total: null, count: 2 }, undefined],
  [{ total: 15_000_000n, count: 2 }, undefined],
  [{ total: 15_000_001n, count: null }, '1500.0001 in all'],
  [{ total: null, count: 3 }, '3 rewards'],
  [{ total: 15_000_000n, count: 1 }, '1 rewards and 1500 in all'],
  [{ total: 0n, count: 2 }, '2 rewards and 0 in all'],
])(
  'two rewards of 1500 in all meet the expectation %o, or the run ends with both (%s)',
  (expectation, expected) => {
    const check = () => checkExpected(due, expectation, 'reviewctl rewards settle --dry-run');
    if (expected === undefined) expect(check).not.toThrow();
    else {
      expect(check).toThrow(
        expect.objectContaining({
          kind: 'guard',
          message: `expected ${expected}, but 2 rewards, 1500 in all, are to be paid; nothing was paid`,
          hint: 'see each of them with: reviewctl rewards settle --dry-run',
        }),
      );
    }
  },
);
