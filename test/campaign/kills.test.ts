import { expect, test } from 'vitest';
import { killRound } from './kill-round.ts';

test.each([1, 2, 3, 4])(
  'killed with -9 five times (seed %i), a push repeats nothing, loses nothing and hides nothing',
  async (seed) => {
    const { killed, violations } = await killRound({
      seed,
      kills: 5,
      itemCount: 4000,
      faults: { throttle: 0.02, 'reset-before': 0.02, 'reset-after': 0.02, torn: 0.02 },
    });
    expect(violations).toEqual([]);
    expect(killed).toBe(5);
  },
);
