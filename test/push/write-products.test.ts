import { describe, expect, it, test } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { streamOf } from '../../src/base/lists.ts';
import { createApi } from '../../src/client/caller.ts';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import type { WireReply } from '../../src/contract/wire.ts';
import type { UpsertEntry, UpsertWrite } from '../../src/push/decide/upsert-entry.ts';
import { productsFlow } from '../../src/push/flows/products.ts';
import type { PushOutcome } from '../../src/push/steps/outcome.ts';
import { isImageTaken, productEntry } from '../../src/push/steps/product-image.ts';
import { lost, refused, replyOf, scriptedTransport } from '../client/scripted-transport.ts';
import { knownRecords } from './listing-service.ts';
import { collect } from './open-push.ts';
import { RacingClock } from './racing-clock.ts';

const place = { file: 'a.csv', line: 2, originId: 'P1' };
const imageUrl = 'https://shop.example/1.png';
const diskFull = new Error('the disk is full');

interface Habits {
  /** The service's replies in order. For a lookup of a group by name, they contain its ids. */
  readonly answers?: readonly (WireReply | Error)[];
  /** The write that fails. */
  readonly full?: 'end' | 'record' | 'before' | 'after';
}

/** Sends decided records one after another; returns the events in order. */
async function send(entries: readonly UpsertEntry[], { answers = [], full }: Habits = {}) {
  const events: unknown[] = [];
  const { transport } = scriptedTransport(...answers);
  const api = createApi({
    transport: (request, signal) => {
      events.push([request.method, JSON.parse(request.body ?? 'null')]);
      return transport(request, signal);
    },
    assumptions: defaultAssumptions,
  });
  const keep = async (name: string, ...event: readonly unknown[]) => {
    events.push([name, ...event]);
    if (full === name) throw diskFull;
  };
  const flow = productsFlow({
    api,
    clock: new RacingClock(),
    journal: {
      known: async () => new Map(),
      begin: async (_, begun) => {
        events.push(['begin', begun]);
        return 5;
      },
      end: (_, end) => keep('end', end),
      record: (kind, accepted) => keep('record', kind, accepted),
    },
    undoLog: {
      beforeUpdate: (record) => keep('before', record),
      cancelUpdate: (record) => keep('cancel', record),
      afterWrite: (record) => keep('after', record),
    },
    concurrency: 1,
    stopping: new AbortController().signal,
    onExisting: 'update',
    isUpdateOnly: false,
    makesGroups: true,
    resend: undefined,
  });
  return { ...(await collect(flow.send(streamOf([entries])))), events };
}

const outcomeOf = (outcome: PushOutcome['outcome'], more: object = {}) => ({ ...place, outcome, ...more });
const body = { originId: 'P1', name: 'Mug' };
const entry = { originId: 'P1', contentHash: '' };
const creation = (more: object = {}): UpsertEntry => ({
  outcome: outcomeOf('created'),
  write: { kind: 'create', body: { ...body, ...more } },
});
const changes = { name: { from: 'Cup', to: 'Mug' } };
const update = (write: Partial<Extract<UpsertWrite, { kind: 'update' }>> = {}): UpsertEntry => ({
  outcome: outcomeOf('updated', { id: '7', changes }),
  write: { kind: 'update', id: '7', body: { name: 'Mug' }, ...write },
  before: { id: '7', originId: 'P1', name: 'Cup' },
});
/** A product as the service shows it. */
const shown = (more: object = {}) => replyOf(200, { id: '7', ...body, ...more });
const groups = (...ids: readonly string[]) =>
  replyOf(200, {
    totalCount: ids.length,
    data: ids.map((id) => ({ id, name: '봄' })),
    pageInfo: { hasNextPage: false },
  });
const asked = ['GET', null];
const begun = ['begin', [entry]];
const ended = (end: object) => ['end', end];
const kept = ['after', { ...place, kind: 'created', id: '7' }];
const made = ended({ accepted: [{ entry, objectId: '7' }] });

describe('a record that needs no write', () => {
  const settled = { outcome: outcomeOf('unchanged', { id: '7' }) };

  test('has its outcome', async () => {
    expect(await send([settled])).toEqual({ outcomes: [settled.outcome], events: [] });
  });

  test('is on record where its lost creation was found; the push ends where it cannot be', async () => {
    const learned = { entry, objectId: '7' };
    const accepted = [['record', 'product', [learned]]];
    const found = await send([{ ...settled, learned }]);
    expect(found).toMatchObject({ outcomes: [settled.outcome], events: accepted });
    const unkept = await send([{ ...settled, learned }], { full: 'record' });
    expect(unkept).toMatchObject({ outcomes: [settled.outcome], error: diskFull });
    const unsent = await send([{ ...update(), learned }], { full: 'record' });
    expect(unsent).toMatchObject({ outcomes: [], events: accepted, error: diskFull });
  });
});

describe('a product is created', () => {
  it.each<[string, object, readonly WireReply[], readonly unknown[]]>([
    ['as it was decided, on record before it leaves and once it is answered', {}, [], [['POST', body]]],
    [
      'in the group of its name, which there is',
      { groupName: '봄' },
      [groups('g')],
      [['POST', { ...body, groupId: 'g' }]],
    ],
    [
      'with the group of its name, which there is not',
      { groupName: '봄' },
      [groups()],
      [['POST', { ...body, groupName: '봄' }]],
    ],
  ])('%s, and can be named by an undo', async (_, more, answers, sent) => {
    const { outcomes, events, error } = await send([creation(more)], {
      answers: [...answers, shown({ group: { id: 'g' } })],
    });
    expect(outcomes).toEqual([outcomeOf('created', { id: '7' })]);
    expect(events).toEqual([...answers.map(() => asked), begun, ...sent, made, kept]);
    expect(error).toBeUndefined();
  });

  test.each(['end', 'after'] as const)(
    'though that cannot be kept (%s): then the push ends',
    async (full) => {
      const { outcomes, error } = await send([creation(), creation()], { answers: [shown(), shown()], full });
      expect(outcomes).toEqual([outcomeOf('created', { id: '7' })]);
      expect(error).toBe(diskFull);
    },
  );

  test('but where it came out otherwise the record has failed, and no other one is created', async () => {
    const answers = [shown({ name: 'Cup' }), shown()];
    const { outcomes, events, error } = await send([creation(), creation()], { answers });
    const reason = expect.stringContaining(
      'created, but product 7 does not have the intended values: name was',
    );
    expect(outcomes).toEqual([outcomeOf('failed', { id: '7', error: reason })]);
    expect(events).toEqual([begun, ['POST', body], made, kept]);
    expect(error).toMatchObject({ kind: 'contradictory-reply' });
  });

  test('and stays open on record where an error was not foreseen', async () => {
    const { outcomes, events, error } = await send([creation()]);
    expect(outcomes).toEqual([]);
    expect(events).toEqual([begun, ['POST', body]]);
    expect(error).toBeInstanceOf(TypeError);
  });
});

describe('a product that the service refuses', () => {
  type Place = readonly (string | number)[];
  const refusal = (status: number, ...places: readonly Place[]) =>
    replyOf(status, { detail: places.map((loc) => ({ loc, msg: 'no', type: 'x' })) });

  it.each<[string, WireReply, string]>([
    ['is rejected', refusal(422, ['body', 'name']), 'rejected: body name: no'],
    [
      'for its categories is rejected with what comes first',
      refusal(422, ['body', 'categories', 0]),
      'rejected: body categories entry 1: no; push the categories first',
    ],
    [
      'for its categories, too, likewise',
      refusal(422, ['body', 'name'], ['body', 'categories']),
      'rejected: body name: no; body categories: no; push the categories first',
    ],
  ])('%s, and is on record as that', async (_, reply, told) => {
    const { outcomes, events } = await send([creation()], { answers: [reply] });
    expect(outcomes.map(({ outcome, error }) => `${outcome}: ${error}`)).toEqual([told]);
    expect(events).toEqual([begun, ['POST', body], ended({})]);
  });

  test('is rejected though that cannot be put on record; then the push ends', async () => {
    const answers = [refusal(422, ['body', 'name'])];
    const { outcomes, error } = await send([creation()], { answers, full: 'end' });
    expect(outcomes).toMatchObject([{ outcome: 'rejected' }]);
    expect(error).toBe(diskFull);
  });
});

describe('a product is changed', () => {
  const before = ['before', { ...place, kind: 'updated', id: '7', changes }];

  test('once what it replaces is kept', async () => {
    const { outcomes, events } = await send([update()], { answers: [shown()] });
    expect(outcomes).toEqual([update().outcome]);
    expect(events).toEqual([before, ['PATCH', { name: 'Mug' }]]);
  });

  test('not at all where that cannot be kept', async () => {
    const { outcomes, events, error } = await send([update()], { full: 'before' });
    expect({ outcomes, events, error }).toEqual({ outcomes: [], events: [before], error: diskFull });
  });

  it.each<[string, WireReply | Error, boolean]>([
    ['it is refused', replyOf(422), true],
    ['there are too many requests', replyOf(429), true],
    ['the service is not reached', refused, true],
    ['the push is stopped', new Failure('terminated', 'stopped'), true],
    ['its answer is lost', lost, false],
    ['the service fails', replyOf(500), false],
    ['the answer is a web page', replyOf(200, '<html>'), false],
    ['it is refused after an answer that was lost', { ...replyOf(422), isAfterLoss: true }, false],
  ])('but where %s, what it replaced is cancelled only if that is certain', async (_, answer, isSure) => {
    const { events } = await send([update()], { answers: [answer] });
    expect(events.slice(2)).toEqual(isSure ? [['cancel', before[1]]] : []);
  });

  test('and the image that was taken is on record, or the push ends after it', async () => {
    const pushed = [update({ body: { imageUrl } })];
    const image = productEntry({ originId: 'P1', imageUrl });
    const answers = [shown({ name: 'Cup' })];
    const { events } = await send(pushed, { answers });
    expect(events.slice(1)).toEqual([
      ['PATCH', { imageUrl }],
      ['record', 'product', [expect.objectContaining({ entry: image, objectId: '7' })]],
    ]);
    const unkept = await send(pushed, { answers, full: 'record' });
    expect(unkept).toMatchObject({ outcomes: [{ outcome: 'updated' }], error: diskFull });
  });

  it.each([{}, { groupId: { from: 'f', to: '(new group 봄)' } }])(
    'into the group of its name, as its outcome tells: %o',
    async (placed) => {
      const outcome = outcomeOf('updated', { id: '7', changes: { ...changes, ...placed } });
      const answers = [groups('g'), shown({ group: { id: 'g' } })];
      const { outcomes, events } = await send([{ ...update({ groupName: '봄' }), outcome }], { answers });
      const from = placed.groupId?.from ?? null;
      const told = { ...changes, groupId: { from, to: 'g' } };
      expect(outcomes).toEqual([outcomeOf('updated', { id: '7', changes: told })]);
      expect(events).toEqual([
        asked,
        ['before', { ...place, kind: 'updated', id: '7', changes: told }],
        ['PATCH', { name: 'Mug', groupId: 'g' }],
      ]);
    },
  );

  test('not where its group is not there any more', async () => {
    const { outcomes, events } = await send([update({ groupName: '봄' })], { answers: [groups()] });
    const error =
      "no product group is named '봄', and an update cannot make one; push a new product of it first";
    expect(outcomes).toEqual([outcomeOf('rejected', { error })]);
    expect(events).toEqual([asked]);
  });

  test('not where its group cannot be looked up: then it has failed, and the next one is sent', async () => {
    const pushed = [update({ groupName: '봄' }), update()];
    const { outcomes } = await send(pushed, { answers: [replyOf(503, {}), shown()] });
    expect(outcomes).toMatchObject([{ outcome: 'failed' }, { outcome: 'updated' }]);
  });

  test('but where it came out otherwise the record has failed, and the push ends', async () => {
    const answers = [shown({ name: 'Cap' })];
    const { outcomes, error } = await send([update(), update()], { answers });
    const reason = expect.stringContaining('updated, but product 7 does not have the intended values');
    expect(outcomes).toMatchObject([{ outcome: 'failed', error: reason }]);
    expect(error).toMatchObject({ kind: 'contradictory-reply' });
  });
});

it.each<[Parameters<typeof knownRecords>[0][string] | undefined, string | undefined, boolean]>([
  [{ contentHash: productEntry({ originId: 'P1', imageUrl }).contentHash }, imageUrl, true],
  [{ contentHash: productEntry({ originId: 'P1', imageUrl }).contentHash }, `${imageUrl}?2`, false],
  [{ contentHash: productEntry({ originId: 'P1', imageUrl }).contentHash, fate: 'unknown' }, imageUrl, false],
  [{ contentHash: '' }, undefined, false],
  [undefined, imageUrl, false],
])('of a product that is known as %o, the image %s is taken: %s', (record, image, isTaken) => {
  const known = record && knownRecords({ P1: record }).get('P1');
  expect(isImageTaken(known, image)).toBe(isTaken);
});
