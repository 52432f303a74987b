import { expect, it } from 'vitest';
import { answered, claim, observe } from '../../src/settle/rules/transitions.ts';
import { ageOf, inDoubtSinceMs } from '../../src/settle/rules/unknown-age.ts';
import {
  claimOptions,
  facts,
  hourMs,
  idempotentPayer,
  nowMs,
  observation,
  paid,
  unknown,
} from './entries.ts';

it('a payment that is called for again, and lost again, has been unknown since its first call', () => {
  const laterMs = nowMs + 5 * hourMs;
  const lost = { kind: 'ambiguous', message: 'time-out' } as const;
  const steps = [
    [observe('R1', observation()), nowMs],
    [claim(claimOptions({ capabilities: idempotentPayer })), nowMs],
    [answered(1, lost, idempotentPayer), nowMs],
    [observe('R1', observation({ atMs: laterMs })), laterMs],
    [claim(claimOptions({ capabilities: idempotentPayer })), laterMs],
    [answered(2, lost, idempotentPayer), laterMs],
  ] as const;
  let entry: Parameters<typeof facts>[0];
  for (const [step, atMs] of steps) {
    const decision = step(facts(entry, { nowMs: atMs }));
    if (decision.kind === 'change') ({ entry } = decision);
  }
  expect(entry).toMatchObject({ payment: 'unknown', attempt: 2, lastCallAtMs: laterMs });
  expect(entry && inDoubtSinceMs(entry)).toBe(nowMs);
});

it('only what is unknown has an age', () => {
  expect(inDoubtSinceMs(unknown)).toBe(nowMs);
  expect(inDoubtSinceMs(paid)).toBeUndefined();
  expect(inDoubtSinceMs({ ...unknown, firstCallAtMs: null, lastCallAtMs: nowMs + 1 })).toBe(nowMs + 1);
  expect(inDoubtSinceMs({ ...unknown, firstCallAtMs: null, lastCallAtMs: null })).toBeUndefined();
});

it('an instant the clock has not reached is older than any', () => {
  const ages = [nowMs + 1, nowMs, nowMs - 1].map((atMs) => ageOf(nowMs, atMs));
  expect(ages).toEqual([1, 0, Number.POSITIVE_INFINITY]);
});
