import { test } from 'vitest';
import { personaNames } from '../../src/sandbox/personas.ts';
import { killRound } from './kill-round.ts';

// Concurrent, because a push with faults mostly waits.
test.concurrent.for(personaNames)(
  'killed with -9 twice, a push to a service like %s repeats nothing, loses nothing and hides nothing',
  async (persona, { expect }) => {
    const faults = { throttle: 0.02, 'reset-before': 0.02, 'reset-after': 0.02 };
    const { killed, violations } = await killRound({ seed: 7, kills: 2, itemCount: 2_000, persona, faults });
    expect(violations).toEqual([]);
    expect(killed).toBe(2);
  },
);
