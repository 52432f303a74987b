import { expect, it, test } from 'vitest';
import { streamOf } from '../../src/base/lists.ts';
import { confirmPlan } from '../../src/push/plan/confirm-plan.ts';
import { type Placed, type PlanLine, placeKey } from '../../src/push/plan/plan-line.ts';
import { type PlanRequest, type PushFlow, planEntriesOf } from '../../src/push/plan/request.ts';
import type { FieldChanges, OutcomeWord, PlanEntry } from '../../src/push/steps/outcome.ts';

interface Row extends Placed {
  readonly originId: string;
}

const entry = (
  originId: string,
  outcome: OutcomeWord,
  more: { write?: object; changes?: FieldChanges; error?: string } = {},
): PlanEntry => {
  const { write, ...details } = more;
  const place = { file: 'a.csv', line: 2, originId };
  return { outcome: { ...place, outcome, ...details }, ...(write === undefined ? {} : { write }) };
};

/** The remaining entries of a plan if `request` would be sent now. */
async function confirmed(plan: readonly PlanEntry[], request: PlanRequest) {
  const flow: PushFlow<Row, PlanRequest> = {
    decide: async function* (batches) {
      for await (const _ of batches) yield [request];
    },
    originIdOf: ({ originId }) => originId,
    send: () => streamOf([]),
  };
  const lines = plan.map((planned): PlanLine<Row> => ({ ...planned, record: planned.outcome }));
  const left: PlanEntry[] = [];
  for await (const requests of confirmPlan(flow, streamOf([lines])))
    left.push(...requests.flatMap(planEntriesOf));
  return left;
}

const changes = (from: string, to = 'Cup') => ({ name: { from, to } });
const update = (from: string, to = 'Cup') =>
  entry('P1', 'updated', { write: { name: to }, changes: changes(from, to) });
const create = entry('P1', 'created', { write: { name: 'Cup' } });

it.each<[string, PlanEntry, PlanEntry]>([
  ['is what was planned', update('Mug'), update('Mug')],
  ['is no longer needed', update('Mug'), entry('P1', 'unchanged')],
  ['was none and is none', entry('P1', 'unchanged'), entry('P1', 'skipped')],
  [
    'was rejected and is rejected',
    entry('P1', 'rejected', { error: 'a' }),
    entry('P1', 'rejected', { error: 'b' }),
  ],
  ['is a creation as planned', create, create],
])('a write that %s is kept as it is decided now', async (_, planned, now) => {
  expect(await confirmed([planned], now)).toEqual([now]);
});

it.each<[string, PlanEntry, PlanEntry, string]>([
  [
    'replaces something else',
    update('Mug'),
    update('Jug'),
    'planned: update name from "Mug" to "Cup"; now: update name from "Jug" to "Cup"',
  ],
  [
    'sends something else',
    update('Mug'),
    update('Mug', 'Pot'),
    'planned: update name from "Mug" to "Cup"; now: update name from "Mug" to "Pot"',
  ],
  ['would create', update('Mug'), create, 'planned: update name from "Mug" to "Cup"; now: create it'],
  [
    'was not planned',
    entry('P1', 'unchanged'),
    update('Mug'),
    'planned: unchanged; now: update name from "Mug" to "Cup"',
  ],
  [
    'is of what the service does not show',
    create,
    entry('P1', 'updated', { write: { name: 'Cup', id: '7' } }),
    'planned: create it; now: update it',
  ],
  [
    'is rejected now',
    create,
    entry('P1', 'rejected', { error: 'no such group' }),
    'planned: create it; now: no such group',
  ],
])('a write that %s is rejected with both', async (_, planned, now, words) => {
  expect(await confirmed([planned], now)).toEqual([
    entry('P1', 'rejected', { error: `changed since the plan was made: ${words}` }),
  ]);
});

test('what goes out together with a record that is not as planned is rejected, too', async () => {
  const other = entry('P2', 'queued', { write: { create: 'createOrders' } });
  const drift = 'changed since the plan was made: planned: update name from "Mug" to "Cup"; now: create it';
  const records = ['P2', 'P1'].map((originId) => ({ ...other.outcome, originId, contentHash: '', text: '' }));
  const order = { originId: 'O1', contentHash: '' };
  const entries = [{ ...order, text: '', records, owner: order }];
  expect(await confirmed([other, update('Mug')], { operation: 'createOrders', entries })).toEqual([
    entry('P2', 'rejected', {
      error: `is sent together with a record that is not as planned: ${drift}`,
    }),
    entry('P1', 'rejected', { error: drift }),
  ]);
});

test('records have one key only where they are one record', () => {
  const place = { file: 'a.csv', line: 2, originId: 'P1' };
  const others = [{ file: 'b.csv' }, { line: 3 }, { originId: 'P2' }, { file: '2 a.csv', originId: 'P1' }];
  const keys = [place, ...others.map((other) => ({ ...place, ...other }))].map(placeKey);
  expect(new Set(keys).size).toBe(keys.length);
  expect(placeKey({ ...place, originId: 'P1 a' })).not.toBe(placeKey({ ...place, file: 'a a.csv' }));
});
