import { expect, it } from 'vitest';
import { ServiceFailure } from '../../src/client/service-failure.ts';
import { reportOutcome } from '../../src/settle/flow/report-outcome.ts';
import type { ObservedReward } from '../../src/settle/flow/reward-service.ts';
import { answered, claim, observe, recordReport } from '../../src/settle/rules/transitions.ts';
import type { Observation } from '../../src/store/ledger/ledger.ts';
import { claimOptions, observation, plainPayer } from './entries.ts';
import { openSettlement } from './open-settlement.ts';
import { scriptedPayer } from './scripted-payer.ts';

type Shown = Partial<Observation> & { readonly rewardId?: string };

interface Case {
  readonly isPaid?: boolean;
  /** The age of the observation in this run. */
  readonly ageMs?: number;
  /** The service's reply to the report, and the reward that it shows afterwards. */
  readonly reply?: Shown | ServiceFailure;
  readonly shown?: Shown | null;
}

const failure = (kind: 'refused' | 'not-found' | 'unreachable' | 'unreadable-reply' | 'not-authenticated') =>
  new ServiceFailure(kind, kind, undefined, { operation: 'updateReward' });
const success: Shown = { status: 'SUCCESS' };

/** Reports a decided reward to a service with these replies; returns the requests. */
async function open({ isPaid = true, ageMs = 0, reply = success, shown = success }: Case) {
  const { ledger, clock, settlement } = await openSettlement({ reviews: 0 });
  const asked: string[] = [];
  const observed = ({ rewardId = 'R1', ...seen }: Shown): ObservedReward => ({
    rewardId,
    seen: observation({ atMs: clock.now(), ...seen }),
  });
  const service = {
    ...settlement(scriptedPayer({})).service,
    find: async () => {
      asked.push('find');
      return shown === null ? undefined : observed(shown);
    },
    update: async (_: string, status: string) => {
      asked.push(`update ${status}`);
      if (reply instanceof ServiceFailure) throw reply;
      return observed(reply);
    },
  };
  const by = { by: 'run', scopes: ['day 2026-01-01'] };
  await ledger.change('R1', observe('R1', observation({ atMs: clock.now() })), by);
  await ledger.change('R1', claim(claimOptions()), by);
  const answer = isPaid ? ({ kind: 'paid' } as const) : ({ kind: 'refused', message: 'no' } as const);
  await ledger.change('R1', answered(1, answer, plainPayer), by);
  await clock.sleep(ageMs);
  const run = settlement(scriptedPayer({}), { service, run: 'run' });
  const reportNow = async () => {
    const entry = await ledger.find('R1');
    if (entry === undefined) throw new Error('the reward is not in the ledger');
    return reportOutcome(run, entry);
  };
  return { ledger, clock, asked, by, reportNow };
}

async function reportOf(given: Case) {
  const { asked, reportNow } = await open(given);
  const { entry, trouble } = await reportNow();
  return { asked, report: entry.report, reason: entry.reason, trouble: trouble?.kind };
}

const confirmed = { report: 'confirmed', reason: null, trouble: undefined };
const conflict = (reason: string) => ({ report: 'conflict', reason, trouble: undefined });
const other = { ...success, amount: 4_000_000n };
const minute = 60_000;

it.each<[what: string, given: Case, asked: readonly string[], result: object]>([
  ['agrees', {}, ['update SUCCESS'], confirmed],
  [
    'agrees that it was refused',
    { isPaid: false, reply: { status: 'CANCELLED' } },
    ['update CANCELLED'],
    { ...confirmed, reason: 'no' },
  ],
  [
    'gave up a refused one, and keeps its word for that',
    { isPaid: false, reply: failure('refused'), shown: { status: 'FAILURE' } },
    ['update CANCELLED', 'find'],
    { ...confirmed, reason: 'no' },
  ],
  [
    'has a refused one as paid',
    { isPaid: false, reply: failure('refused') },
    ['update CANCELLED', 'find'],
    conflict('it is refused, but the service says SUCCESS'),
  ],
  [
    'replies with another reward',
    { reply: { ...success, rewardId: 'R2' } },
    ['update SUCCESS', 'find'],
    confirmed,
  ],
  [
    'shows another reward',
    { reply: { status: 'FAILURE' }, shown: { ...success, rewardId: 'R2' } },
    ['update SUCCESS', 'find'],
    conflict('the service answered with reward R2'),
  ],
  [
    'says FAILURE',
    { reply: { status: 'FAILURE' }, shown: { status: 'FAILURE' } },
    ['update SUCCESS', 'find'],
    conflict('it is paid, but the service says FAILURE'),
  ],
  [
    'says nothing',
    { reply: { status: '' }, shown: { status: '' } },
    ['update SUCCESS', 'find'],
    conflict('it is paid, but the service says nothing about its status'),
  ],
  ['refuses what it has', { reply: failure('refused') }, ['update SUCCESS', 'find'], confirmed],
  [
    'refuses, and still waits',
    { reply: failure('refused'), shown: {} },
    ['update SUCCESS', 'find'],
    conflict('it is paid, but the service says QUEUED'),
  ],
  [
    'has forgotten it',
    { reply: failure('not-found'), shown: null },
    ['update SUCCESS', 'find'],
    conflict('the service no longer shows it'),
  ],
  [
    'cannot be reached',
    { reply: failure('unreachable') },
    ['update SUCCESS'],
    { report: 'sent', reason: null, trouble: 'unreachable' },
  ],
  [
    'confirms another amount',
    { reply: other, shown: other },
    ['update SUCCESS', 'find'],
    conflict('500 to M1 is paid; the service now says SUCCESS for 400 to M1 under the same id'),
  ],
  [
    'shows another amount before',
    { ageMs: 60 * minute, shown: { amount: 4_000_000n } },
    ['find'],
    conflict(
      '500 to M1 is paid; the service now waits for 400 to M1 under the same id; nothing was reported',
    ),
  ],
  [
    'shows no status and another member before',
    { ageMs: 60 * minute, shown: { status: '', memberOriginId: 'M2' } },
    ['find'],
    conflict(
      '500 to M1 is paid; the service now says nothing about its status for 500 to M2 under the same id; ' +
        'nothing was reported',
    ),
  ],
  [
    'lists it twice before',
    {
      ageMs: 60 * minute,
      shown: { amount: null, memberOriginId: null, document: '[{"amount":1},{"amount":2}]' },
    },
    ['find'],
    conflict(
      '500 to M1 is paid; the service lists it more than once, with different terms; nothing was reported',
    ),
  ],
  [
    'does not show it before',
    { ageMs: 60 * minute, shown: null },
    ['find'],
    conflict('the service no longer shows it'),
  ],
  ['waits for it', { ageMs: 60 * minute, shown: {} }, ['find', 'update SUCCESS'], confirmed],
  ['has it already', { ageMs: 60 * minute }, ['find'], confirmed],
  ['replies with a page', { reply: failure('unreadable-reply') }, ['update SUCCESS', 'find'], confirmed],
  [
    'replies with a page, and still waits',
    { reply: failure('unreadable-reply'), shown: {} },
    ['update SUCCESS', 'find'],
    { report: 'sent', reason: null, trouble: 'unreadable-reply' },
  ],
  [
    'replies with a page, and does not show it',
    { reply: failure('unreadable-reply'), shown: null },
    ['update SUCCESS', 'find'],
    { report: 'sent', reason: null, trouble: 'unreadable-reply' },
  ],
])('a report to a service that %s ends so', async (_, given, asked, result) => {
  expect(await reportOf(given)).toEqual({ asked, ...result });
});

it.each([
  ['forgot it once', success, ['update SUCCESS', 'find'], confirmed],
  [
    'agrees again and again, and still waits',
    {},
    ['update SUCCESS', 'find'],
    conflict('it is paid, but the service says QUEUED'),
  ],
])('a report that was confirmed, repeated to a service that %s, ends so', async (_, shown, asks, result) => {
  const { ledger, asked, reportNow, by } = await open({ shown });
  await ledger.change('R1', recordReport({ kind: 'confirmed', status: 'SUCCESS' }), by);
  const { entry, trouble } = await reportNow();
  expect({ report: entry.report, reason: entry.reason, trouble }).toEqual(result);
  expect(asked).toEqual(asks);
});

it('what the service contradicts after it was confirmed is in conflict for this run, and stays confirmed', async () => {
  const { ledger, reportNow, by } = await open({ ageMs: 60 * minute, shown: other });
  await ledger.change('R1', recordReport({ kind: 'confirmed', status: 'SUCCESS' }), by);
  const { entry } = await reportNow();
  expect(entry).toMatchObject({
    report: 'conflict',
    reason:
      '500 to M1 is paid and confirmed; the service now says SUCCESS for 400 to M1 under the same id; ' +
      'nothing was reported',
  });
  expect((await ledger.find('R1'))?.report).toBe('confirmed');
});
