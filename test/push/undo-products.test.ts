import { expect, it, test } from 'vitest';
import type { ProductRecord } from '../../src/input/records/record-kinds.ts';
import { personaNames, sandboxAs } from '../../src/sandbox/personas.ts';
import { addProduct, entriesOf, type PushOptions } from './open-push.ts';
import { Life, type OpenUndo, openUndo } from './open-undo.ts';

const cup: ProductRecord = { originId: 'P1', name: 'Cup', imageUrl: 'https://shop.example/cup.jpg' };
const pot: ProductRecord = { originId: 'P2', name: 'Pot', isReviewDisabled: false };
const mug: ProductRecord = { originId: 'P1', name: 'Mug', imageUrl: 'https://shop.example/mug.jpg' };
const kettle: ProductRecord = { originId: 'P2', name: 'Kettle', isReviewDisabled: true };

function push(open: OpenUndo, run: string, records: readonly ProductRecord[], life?: Life) {
  return open.inRun(run, (tools) => open.products(entriesOf(records), tools), life);
}

/** Products P1 and P2, created by run1 and changed by run2. */
async function openChanged(options: PushOptions = {}): Promise<OpenUndo> {
  const open = await openUndo(options);
  await push(open, 'run1', [cup, pot]);
  await push(open, 'run2', [mug, kettle]);
  return open;
}

function shown({ sandbox }: OpenUndo) {
  return sandbox.transact(({ state }) =>
    [...state.products.values()].map(({ originId, name, imageUrl, isReviewDisabled }) => ({
      originId,
      name,
      imageUrl,
      isReviewDisabled,
    })),
  );
}

function productOf({ sandbox }: OpenUndo) {
  return sandbox.transact(({ state }) => state.products.first('originId', 'P1'));
}

const asMade = [
  { originId: 'P1', name: 'Cup', imageUrl: cup.imageUrl, isReviewDisabled: false },
  { originId: 'P2', name: 'Pot', imageUrl: null, isReviewDisabled: false },
];

test('an undo looks products up together and changes each with one request', async () => {
  const open = await openChanged();
  const from = open.requests.length;
  const { outcomes } = await open.undoProducts('run2', 'run3');
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['updated', 'updated']);
  expect(open.requests.slice(from).map(({ operation }) => operation)).toEqual([
    'listProducts',
    'updateProduct',
    'updateProduct',
  ]);
  expect(shown(open)).toEqual(asMade);
});

test('a product that is gone is left alone', async () => {
  const open = await openChanged();
  open.sandbox.transact(({ state }) => state.products.remove(productOf(open)?.id ?? ''));
  expect((await open.undoProducts('run2', 'run3')).outcomes[0]).toMatchObject({
    outcome: 'rejected',
    error: 'the service no longer has it',
  });
});

test('a product is found by its id where the service lists another one under its originId', async () => {
  const open = await openChanged();
  const product = productOf(open);
  if (product === undefined) throw new Error('no product');
  open.sandbox.transact(({ state }) => state.products.put({ ...product, originId: 'moved' }));
  addProduct(open);
  expect((await open.undoProducts('run2', 'run3')).outcomes[0]).toMatchObject({ outcome: 'updated' });
  expect(shown(open)).toContainEqual({ ...asMade[0], originId: 'moved' });
});

test('killed at any moment, a push has kept what it replaced', async () => {
  for (let moment = 0; ; moment += 1) {
    const open = await openUndo();
    await push(open, 'run1', [cup, pot]);
    const life = new Life(moment);
    await push(open, 'run2', [mug, kettle], life);
    const { outcomes } = await open.undoProducts('run2', 'run3');
    expect({ moment, shown: shown(open) }).toEqual({ moment, shown: asMade });
    expect(outcomes.every(({ outcome }) => ['updated', 'unchanged'].includes(outcome))).toBe(true);
    if (!life.isOver) break;
  }
});

test('killed at any moment, an undo is finished by the next one, and a later push sends all of it again', async () => {
  for (let moment = 0; ; moment += 1) {
    const open = await openChanged();
    const life = new Life(moment);
    await open.undoProducts('run2', 'run3', { life });
    await open.undoProducts('run2', 'run4');
    expect({ moment, shown: shown(open) }).toEqual({ moment, shown: asMade });
    const { outcomes } = await push(open, 'run5', [mug, kettle]);
    expect(outcomes).toMatchObject([
      { outcome: 'updated', changes: { name: {}, imageUrl: {} } },
      { outcome: 'updated', changes: { name: {}, isReviewDisabled: {} } },
    ]);
    if (!life.isOver) break;
  }
});

it.each(personaNames)(
  'a service that is %s gets every field back that an update can bring back',
  async (persona) => {
    const open = await openUndo(sandboxAs(persona));
    const before = { ...pot, isAlimtalkEnabled: false };
    await push(open, 'run1', [before]);
    const { outcomes: pushed } = await push(open, 'run2', [{ ...kettle, isAlimtalkEnabled: true }]);
    expect(pushed).toMatchObject([{ outcome: 'updated' }]);
    expect((await open.undoProducts('run2', 'run3')).outcomes).toMatchObject([{ outcome: 'updated' }]);
    expect((await push(open, 'run4', [before])).outcomes).toMatchObject([{ outcome: 'unchanged' }]);
  },
);
