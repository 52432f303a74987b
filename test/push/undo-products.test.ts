import { expect, it, test } from 'vitest';
import type { Entry, ProductRecord } from '../../src/input/records/record-kinds.ts';
import { personaNames, sandboxAs } from '../../src/sandbox/personas.ts';
import { addProduct, entriesOf, type PushOptions } from './open-push.ts';
import { Life, type OpenUndo, openUndo, slowUndoLog } from './open-undo.ts';

const cup: ProductRecord = { originId: 'P1', name: 'Cup', imageUrl: 'https://shop.example/cup.jpg' };
const pot: ProductRecord = { originId: 'P2', name: 'Pot', isReviewDisabled: false };
const mug: ProductRecord = { originId: 'P1', name: 'Mug', imageUrl: 'https://shop.example/mug.jpg' };
const kettle: ProductRecord = { originId: 'P2', name: 'Kettle', isReviewDisabled: true };

function push(
  open: OpenUndo,
  run: string,
  records: readonly ProductRecord[] | readonly Entry<ProductRecord>[],
  life?: Life,
) {
  const work = (tools: Parameters<Parameters<OpenUndo['inRun']>[1]>[0]) =>
    open.products(entriesOf(records as readonly ProductRecord[]), tools);
  return open.inRun(run, work, life);
}

/** Products P1 and P2, which run1 made and run2 changed. */
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

const asMade = [
  { originId: 'P1', name: 'Cup', imageUrl: cup.imageUrl, isReviewDisabled: false },
  { originId: 'P2', name: 'Pot', imageUrl: null, isReviewDisabled: false },
];

test('what is kept of an update is what it replaced, field by field, with its place and id', async () => {
  const open = await openChanged();
  expect(await open.keptOf('run2')).toMatchObject([
    {
      file: 'input.csv',
      line: 2,
      originId: 'P1',
      id: expect.any(String),
      kind: 'updated',
      changes: { name: { from: 'Cup', to: 'Mug' }, imageUrl: { from: cup.imageUrl, to: mug.imageUrl } },
    },
    {
      line: 3,
      changes: { name: { from: 'Pot', to: 'Kettle' }, isReviewDisabled: { from: false, to: true } },
    },
  ]);
  expect(await open.keptOf('run1')).toMatchObject([{ kind: 'created' }, { kind: 'created' }]);
});

test('no update leaves before what it replaces is kept', async () => {
  const events: string[] = [];
  const open = await openUndo({
    around: (transport) => (request, signal) => {
      if (request.operation === 'updateProduct') events.push('sent');
      return transport(request, signal);
    },
  });
  await push(open, 'run1', [cup, pot]);
  await open.products(entriesOf([mug, kettle]), { undoLog: slowUndoLog(events), concurrency: 1 });
  expect(events).toEqual(['kept', 'sent', 'kept', 'sent']);
});

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

test('the same file can be pushed again after an undo, and is sent, its image too', async () => {
  const open = await openChanged();
  await open.undoProducts('run2', 'run3');
  const { outcomes } = await push(open, 'run4', [mug, kettle]);
  expect(outcomes).toMatchObject([
    { outcome: 'updated', changes: { name: {}, imageUrl: { from: cup.imageUrl, to: mug.imageUrl } } },
    { outcome: 'updated' },
  ]);
});

test('a field that somebody changed since is left alone, and the others of its record are written back', async () => {
  const open = await openChanged();
  open.sandbox.transact(({ state }) => {
    const product = state.products.first('originId', 'P2');
    if (product !== undefined) state.products.put({ ...product, name: 'Jug' });
  });
  const { outcomes } = await open.undoProducts('run2', 'run3');
  expect(outcomes[1]).toMatchObject({
    outcome: 'rejected',
    changes: { isReviewDisabled: { from: true, to: false } },
    error:
      'left alone: name was "Pot", the run sent "Kettle", and the service has "Jug" now; written back: isReviewDisabled',
  });
  expect(shown(open)[1]).toMatchObject({ name: 'Jug', isReviewDisabled: false });
});

test('a product that is gone is left alone', async () => {
  const open = await openUndo({
    around: (transport) => async (request, signal) => {
      const reply = await transport(request, signal);
      if (!isGone || request.method !== 'GET') return reply;
      if (request.operation === 'getProduct') return { ...reply, status: 404, body: '{"detail":"no"}' };
      return { ...reply, body: '{"totalCount":0,"data":[],"pageInfo":{"hasNextPage":false,"endCursor":""}}' };
    },
  });
  let isGone = false;
  await push(open, 'run1', [cup]);
  await push(open, 'run2', [mug]);
  isGone = true;
  expect((await open.undoProducts('run2', 'run3')).outcomes).toMatchObject([
    { outcome: 'rejected', error: 'the service does not have it any more' },
  ]);
});

test('a product is found by its id where the service lists another one under its originId', async () => {
  let isMoved = false;
  const open = await openUndo({
    around: (transport) => async (request, signal) => {
      const reply = await transport(request, signal);
      if (!isMoved || request.operation !== 'listProducts') return reply;
      const data = [{ id: 'another', originId: 'P1', name: 'Mug' }];
      return { ...reply, body: JSON.stringify({ totalCount: 1, data, pageInfo: { hasNextPage: false } }) };
    },
  });
  await push(open, 'run1', [cup]);
  await push(open, 'run2', [mug]);
  isMoved = true;
  expect((await open.undoProducts('run2', 'run3')).outcomes).toMatchObject([{ outcome: 'updated' }]);
  expect(shown(open)).toEqual([asMade[0]]);
});

test('what an update cannot bring back is left alone: no group, no image, no name', async () => {
  const open = await openUndo();
  addProduct(open);
  const grouped = { originId: 'P9', name: 'Bowl', groupName: 'Bowls' };
  await push(open, 'run1', [grouped]);
  const groupId = open.sandbox.transact(({ state }) => state.products.first('originId', 'P9')?.groupId ?? '');
  await push(open, 'run2', [{ originId: 'P1', imageUrl: 'https://shop.example/p.jpg', groupId }]);
  const { outcomes } = await open.undoProducts('run2', 'run3');
  expect(outcomes).toMatchObject([
    {
      outcome: 'rejected',
      error: `left alone: imageUrl was null, the run sent "https://shop.example/p.jpg", and an update cannot empty it; groupId was null, the run sent "${groupId}", and an update cannot empty it`,
    },
  ]);
});

test('categories are written back as they were, none too', async () => {
  const open = await openUndo();
  for (const originId of ['C1', 'C2'])
    await open.api.call('createCategory', { body: { originId, name: originId } });
  const categories = [{ originId: 'C1', isPrimary: true }];
  await push(open, 'run1', [{ ...cup, categories }, pot]);
  const others = [{ originId: 'C2' }, { originId: 'C1' }];
  await push(open, 'run2', [
    { ...cup, categories: others },
    { ...pot, categories: others },
  ]);
  const { outcomes } = await open.undoProducts('run2', 'run3');
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['updated', 'updated']);
  const held = open.sandbox.transact(({ state }) =>
    [...state.products.values()].map((product) =>
      product.categories.map(({ categoryId, isPrimary }) => [
        state.categories.get(categoryId)?.originId,
        isPrimary,
      ]),
    ),
  );
  expect(held).toEqual([[['C1', true]], []]);
});

test('an image that the service shows under an address of its own is left alone', async () => {
  const open = await openChanged({ assumptions: { imageUrlReply: 'rehosted' } });
  const { outcomes } = await open.undoProducts('run2', 'run3');
  expect(outcomes[0]).toMatchObject({
    outcome: 'rejected',
    changes: { name: { from: 'Mug', to: 'Cup' } },
    error: expect.stringMatching(
      /^left alone: imageUrl was .* under its own address .*; written back: name$/,
    ),
  });
  expect((await push(open, 'run4', [mug])).outcomes).toMatchObject([
    { outcome: 'updated', changes: { name: { from: 'Cup', to: 'Mug' } } },
  ]);
});

test('where an update resets what it leaves out, an undo sends that along', async () => {
  const open = await openUndo({ assumptions: { defaultsOnUpdate: 'apply' } });
  await push(open, 'run1', [{ ...pot, isReviewDisabled: true }]);
  await push(open, 'run2', [{ originId: 'P2', name: 'Kettle' }]);
  expect((await open.undoProducts('run2', 'run3')).outcomes).toMatchObject([
    { outcome: 'updated', changes: { name: { from: 'Kettle', to: 'Pot' } } },
  ]);
  expect(shown(open)).toMatchObject([{ name: 'Pot', isReviewDisabled: true }]);
});

test('an undo that is stopped goes on where it was', async () => {
  const stopping = new AbortController();
  const open = await openUndo({
    around: (transport) => (request, signal) => {
      if (isUndoing && request.operation === 'updateProduct') stopping.abort();
      return transport(request, signal);
    },
  });
  let isUndoing = false;
  await push(open, 'run1', [cup, pot]);
  await push(open, 'run2', [mug, kettle]);
  isUndoing = true;
  expect((await open.undoProducts('run2', 'run3', { stopping: stopping.signal })).outcomes).toHaveLength(1);
  const { outcomes } = await open.undoProducts('run2', 'run4');
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['unchanged', 'updated']);
  expect(shown(open)).toEqual(asMade);
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
