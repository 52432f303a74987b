import { expect, it } from 'vitest';
import { isListed, observeListed } from '../../src/settle/rules/listed-observation.ts';
import { freshMs } from '../../src/settle/rules/policy.ts';
import { observe } from '../../src/settle/rules/transitions.ts';
import { entryAfter, facts, nowMs, observation } from './entries.ts';

const listing = { run: 'run', beganMs: nowMs - 10_000 };
const byOther = { run: 'other', atMs: nowMs - 5_000 };
const twoDocuments = '[{"id":"R1","amount":500},{"id":"R1","amount":900}]';

it.each([
  ['just listed by another run', byOther, 'no-change'],
  ['listed by another run in the same millisecond', { ...byOther, atMs: nowMs }, 'no-change'],
  ['listed by this run', { ...byOther, run: 'run' }, 'change'],
  ['listed by another run before this one began', { ...byOther, atMs: nowMs - 10_001 }, 'change'],
  [
    'listed by another run at the instant at which this one began',
    { ...byOther, atMs: listing.beganMs },
    'change',
  ],
  ['listed by another run in the future', { ...byOther, atMs: nowMs + 1 }, 'change'],
  ['listed by another run with another amount', { ...byOther, amount: 9_000_000n }, 'change'],
  ['listed by another run for another member', { ...byOther, memberOriginId: 'M2' }, 'change'],
  ['listed by another run with another status', { ...byOther, status: 'SENDING' }, 'change'],
  [
    'found contradictory by another run',
    { ...byOther, amount: null, memberOriginId: null, document: twoDocuments },
    'no-change',
  ],
] as const)('a reward %s: %s', (_, known, kind) => {
  const before = entryAfter(observe('R1', observation(known)));
  const decision = observeListed('R1', observation(), listing)(facts(before));
  expect(decision.kind).toBe(kind);
  if (decision.kind === 'change') expect(decision.entry.seen).toEqual(observation());
  else expect(decision.reason).toEqual({ kind: 'known', message: 'another run has just listed it' });
});

it('what another run listed long ago is written again, although this run is older', () => {
  const old = { run: 'run', beganMs: nowMs - freshMs };
  const listedAgain = (ageMs: number) =>
    observeListed(
      'R1',
      observation(),
      old,
    )(facts(entryAfter(observe('R1', observation({ run: 'other', atMs: nowMs - ageMs }))))).kind;
  expect([listedAgain(15_000), listedAgain(15_001)]).toEqual(['no-change', 'change']);
});

it('a reward that is confirmed and listed all the same is written again, so that this run repeats its report', () => {
  const known = entryAfter(observe('R1', observation(byOther)));
  const listed = (report: 'sent' | 'confirmed') =>
    observeListed('R1', observation(), listing)(facts({ ...known, payment: 'paid', report })).kind;
  expect([listed('sent'), listed('confirmed')]).toEqual(['no-change', 'change']);
});

it.each([
  ['by this run, whatever its status', { run: 'run', atMs: 0, status: 'SUCCESS' }, true],
  ['by another run since', byOther, true],
  ['by another run when this one began', { ...byOther, atMs: listing.beganMs }, true],
  ['by another run before', { ...byOther, atMs: listing.beganMs - 1 }, false],
  ['by another run, but not as QUEUED', { ...byOther, status: 'SUCCESS' }, false],
] as const)('a reward seen %s is listed: %s', (_, seen, isTrue) => {
  expect(isListed(entryAfter(observe('R1', observation(seen))), listing)).toBe(isTrue);
});
