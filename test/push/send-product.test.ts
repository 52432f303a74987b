import { describe, expect, it, test } from 'vitest';
import { ServiceFailure } from '../../src/client/service-failure.ts';
import type { ProductEntry, ProductWrite } from '../../src/push/decide/decide-product.ts';
import { sendProduct } from '../../src/push/send/send-product.ts';
import { createBreaker } from '../../src/push/steps/breaker.ts';
import { createFirstAlone } from '../../src/push/steps/first-alone.ts';
import type { PushOutcome } from '../../src/push/steps/outcome.ts';
import { apiOver } from '../client/call.ts';
import { scriptedTransport } from '../client/scripted-transport.ts';

const place = { file: 'a.csv', line: 2, originId: 'P1' };
const imageUrl = 'https://shop.example/1.png';
const diskFull = new Error('the disk is full');

interface Habits {
  /** What the service shows of a product beside what it was sent, or why it takes none. */
  readonly shown?: object | Error;
  /** The id of the group that there is. */
  readonly groupId?: string | undefined;
  /** What takes nothing. */
  readonly full?: 'journal' | 'undo log';
}

/** Sends what was decided on one record; what was done for it, in its order. */
function openSending({ shown = {}, groupId, full }: Habits = {}) {
  const events: unknown[] = [];
  /** The groups that were wanted, with what they came to. */
  const made: unknown[] = [];
  const keep = (where: Habits['full'], ...event: readonly unknown[]) => {
    events.push(event);
    return full === where ? Promise.reject(diskFull) : Promise.resolve();
  };
  const write = async (body: object, ...event: readonly unknown[]) => {
    events.push([...event, body]);
    if (shown instanceof Error) throw shown;
    return { id: '7', ...body, image: { url: imageUrl }, ...shown };
  };
  const breaker = createBreaker();
  const sending = {
    api: apiOver(scriptedTransport().transport),
    breaker,
    groups: {
      find: async () => groupId,
      findOrCreate: async (name: string, create: () => Promise<string | undefined>) => {
        made.push([name, groupId ?? (await create())]);
        return groupId;
      },
    },
    journal: { taken: (product: object, id: string) => keep('journal', 'taken', product, id) },
    undoLog: {
      beforeUpdate: (record: object) => keep('undo log', 'before', record),
      afterWrite: (record: object) => keep('undo log', 'after', record),
    },
    firstCreation: createFirstAlone(),
    firstUpdate: createFirstAlone(),
    writer: {
      create: async (body: object) => ({ id: '7', groupId: 'new', shown: await write(body, 'create') }),
      update: (id: string, changes: object) => write(changes, 'update', id),
    },
    lost: { lookFor: (_: string, loss: ServiceFailure) => Promise.reject(loss) },
  };
  return { breaker, events, made, send: (step: ProductEntry) => sendProduct(sending, step) };
}

const outcomeOf = (outcome: PushOutcome['outcome'], more: object = {}) => ({ ...place, outcome, ...more });
const creation = (more: object = {}): ProductEntry => ({
  outcome: outcomeOf('created'),
  write: { kind: 'create', body: { originId: 'P1', name: 'Mug', ...more } },
});
const body = { originId: 'P1', name: 'Mug' };
const changes = { name: { from: 'Cup', to: 'Mug' } };
const update = (write: Partial<Extract<ProductWrite, { kind: 'update' }>> = {}): ProductEntry => ({
  outcome: outcomeOf('updated', { id: '7', changes }),
  write: { kind: 'update', id: '7', changes: { name: 'Mug' }, ...write },
  before: { id: '7', originId: 'P1', name: 'Cup' },
});

describe('a record that needs no write', () => {
  const settled = { outcome: outcomeOf('unchanged', { id: '7' }) };

  test('has its outcome', async () => {
    const { send, events } = openSending();
    expect(await send(settled)).toEqual(settled.outcome);
    expect(events).toEqual([]);
  });

  test('is on record where its lost creation was found; the push ends where it cannot be', async () => {
    const { send, events } = openSending();
    expect(await send({ ...settled, foundId: '7' })).toEqual(settled.outcome);
    expect(events).toEqual([['taken', { originId: 'P1' }, '7']]);
    const open = openSending({ full: 'journal' });
    expect(await open.send({ ...settled, foundId: '7' })).toEqual(settled.outcome);
    expect(() => open.breaker.check()).toThrow(diskFull);
  });
});

describe('a product is created', () => {
  const kept = ['after', { ...place, kind: 'created', id: '7' }];

  it.each<[string, object, Habits, object]>([
    ['as it was decided', {}, {}, body],
    [
      'in the group of its name, which there is',
      { groupName: '봄' },
      { groupId: 'g' },
      { ...body, groupId: 'g' },
    ],
    ['with the group of its name, which there is not', { groupName: '봄' }, {}, { ...body, groupName: '봄' }],
  ])('%s, and can be named by an undo', async (_, more, habits, sent) => {
    const { send, events, made, breaker } = openSending({ ...habits, shown: { group: { id: 'g' } } });
    expect(await send(creation(more))).toEqual(outcomeOf('created', { id: '7' }));
    expect(events).toEqual([['create', sent], kept]);
    expect(made).toEqual('groupName' in more ? [['봄', habits.groupId ?? 'new']] : []);
    expect(() => breaker.check()).not.toThrow();
  });

  test('though an undo cannot name it: then the push ends', async () => {
    const { send, breaker } = openSending({ full: 'undo log' });
    expect(await send(creation())).toEqual(outcomeOf('created', { id: '7' }));
    expect(() => breaker.check()).toThrow(diskFull);
  });

  test('but where it came out otherwise the record has failed, and the push ends', async () => {
    const { send, events, breaker } = openSending({ shown: { name: 'Cup' } });
    const error = expect.stringContaining(
      'created, but product 7 is not as it was meant to be: name was sent as',
    );
    expect(await send(creation())).toEqual(outcomeOf('failed', { id: '7', error }));
    expect(events).toEqual([['create', body], kept]);
    expect(() => breaker.check()).toThrow('product 7 is not as it was meant to be');
    expect(await send(creation()).catch((reason: unknown) => reason)).toMatchObject({
      kind: 'contradictory-reply',
    });
    expect(events).toHaveLength(2);
  });
});

test('no other product is created once the first one came out otherwise', async () => {
  const { send, events } = openSending({ shown: { name: 'Cup' } });
  const [first, second] = await Promise.allSettled([send(creation()), send(creation())]);
  expect(first).toMatchObject({ value: { outcome: 'failed' } });
  expect(second).toMatchObject({ reason: { kind: 'contradictory-reply' } });
  expect(events.filter((event) => Array.isArray(event) && event[0] === 'create')).toHaveLength(1);
});

describe('a product that the service refuses', () => {
  type Place = readonly (string | number)[];
  const refusal = (loc: Place, kind: 'refused' | 'overloaded' = 'refused', ...more: readonly Place[]) =>
    new ServiceFailure(kind, 'no', undefined, {
      operation: 'createProduct',
      reason: 'no',
      isOutcomeUnknown: false,
      issues: [loc, ...more].map((each) => ({ loc: each, msg: 'no', type: 'x' })),
    });

  it.each<[string, ServiceFailure, object]>([
    [
      'for its categories, too, likewise',
      refusal(['body', 'name'], 'refused', ['body', 'categories']),
      { outcome: 'rejected', error: 'no; push the categories first' },
    ],
    ['is rejected', refusal(['body', 'name']), { outcome: 'rejected', error: 'no' }],
    [
      'for its categories is rejected with what comes first',
      refusal(['body', 'categories', 0]),
      { outcome: 'rejected', error: 'no; push the categories first' },
    ],
    [
      'for now has failed, whatever it says',
      refusal(['body', 'categories'], 'overloaded'),
      { outcome: 'failed', error: 'no' },
    ],
  ])('%s', async (_, shown, told) => {
    const { send } = openSending({ shown });
    expect(await send(creation())).toEqual({ ...place, ...told });
  });
});

describe('a product is changed', () => {
  const before = ['before', { ...place, kind: 'updated', id: '7', changes }];

  test('once what it replaces is kept', async () => {
    const { send, events } = openSending();
    expect(await send(update())).toEqual(update().outcome);
    expect(events).toEqual([before, ['update', '7', { name: 'Mug' }]]);
  });

  test('not at all where that cannot be kept', async () => {
    const { send, events } = openSending({ full: 'undo log' });
    await expect(send(update())).rejects.toThrow(diskFull);
    expect(events).toEqual([before]);
  });

  test('and the image that was taken is on record', async () => {
    const { send, events } = openSending();
    await send(update({ changes: { imageUrl } }));
    expect(events.slice(1)).toEqual([
      ['update', '7', { imageUrl }],
      ['taken', { originId: 'P1', imageUrl }, '7'],
    ]);
  });

  test('into the group of its name, as its outcome tells; not where there is none', async () => {
    const { send, events } = openSending({ groupId: 'g', shown: { group: { id: 'g' } } });
    const from = { ...changes, groupId: { from: 'f', to: '(new group 봄)' } };
    const step = {
      ...update({ groupName: '봄' }),
      outcome: outcomeOf('updated', { id: '7', changes: from }),
    };
    const placed = { ...changes, groupId: { from: 'f', to: 'g' } };
    expect(await send(step)).toEqual(outcomeOf('updated', { id: '7', changes: placed }));
    expect(events).toEqual([
      ['before', { ...place, kind: 'updated', id: '7', changes: placed }],
      ['update', '7', { name: 'Mug', groupId: 'g' }],
    ]);
    const none = openSending();
    expect(await none.send(step)).toEqual(
      outcomeOf('rejected', { error: "no product group is named '봄', and an update cannot make one" }),
    );
    expect(none.events).toEqual([]);
  });

  test('from none into a group, likewise', async () => {
    const { send } = openSending({ groupId: 'g', shown: { group: { id: 'g' } } });
    expect(await send(update({ groupName: '봄' }))).toMatchObject({
      changes: { ...changes, groupId: { from: null, to: 'g' } },
    });
  });

  test('but where it came out otherwise the record has failed, and the push ends', async () => {
    const { send, breaker } = openSending({ shown: { name: 'Cap' } });
    expect(await send(update())).toMatchObject({
      outcome: 'failed',
      error: expect.stringContaining('updated, but product 7 is not as it was meant to be'),
    });
    expect(() => breaker.check()).toThrow('product 7');
    await expect(send(update())).rejects.toMatchObject({ kind: 'contradictory-reply' });
  });

  test('and where the image cannot be put on record the push ends after it', async () => {
    const { send, breaker } = openSending({ full: 'journal' });
    const step = update({ changes: { imageUrl } });
    expect(await send(step)).toEqual(step.outcome);
    expect(() => breaker.check()).toThrow(diskFull);
  });
});
