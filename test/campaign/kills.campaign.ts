import { test } from 'vitest';
import { killRound } from './kill-round.ts';

// Concurrent, because a push with faults mostly waits.
test.concurrent.for([1, 2, 3, 4])(
  'killed with -9 five times (seed %i), a push of 20,000 records repeats nothing, loses nothing and hides nothing',
  // 24 processes take 40 s on two cores, and another campaign may use one of them.
  { timeout: 180_000 },
  async (seed, { expect }) => {
    const { killed, violations } = await killRound({
      seed,
      kills: 5,
      itemCount: 20_000,
      faults: { throttle: 0.02, 'reset-before': 0.02, 'reset-after': 0.02, torn: 0.02 },
    });
    expect(violations).toEqual([]);
    expect(killed).toBe(5);
  },
);
