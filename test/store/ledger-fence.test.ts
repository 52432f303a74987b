import { describe, expect, it, test } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import type { HighWaterMark, HighWaterMarks } from '../../src/store/ledger/high-water-mark.ts';
import type { Decision, EventKind, EventMark, Facts, Ledger, Step } from '../../src/store/ledger/ledger.ts';
import { withFence, withoutClaims } from '../../src/store/ledger/ledger-fence.ts';
import { nowMs } from '../settle/entries.ts';
import { stillClock } from './open-ledger-place.ts';

const path = '/l/ledger.db';
const first: HighWaterMark = {
  ledgerId: 'L1',
  origin: 'https://a.example',
  shop: 'shop',
  accounts: ['A'],
  path,
  inode: '7',
  seq: 3,
  seal: 's3',
  epoch: 0,
  movedAtMs: 1,
  isRetired: false,
};

/** A mark that others may move, and its final state. */
function markAt(mark: HighWaterMark | undefined) {
  const held = {
    mark,
    moves: [] as HighWaterMark[],
    added: [] as HighWaterMark[],
    refusals: 0,
    isClosed: false,
  };
  const marks: HighWaterMarks = {
    all: () => (held.mark === undefined ? [] : [held.mark]),
    find: () => held.mark,
    add: (added) => held.added.push(added),
    move: (from, to) => {
      if (held.refusals > 0) {
        held.refusals -= 1;
        return false;
      }
      const isSame = held.mark?.seq === from.seq && held.mark.path === from.path;
      if (isSame) held.moves.push(to);
      if (isSame && held.mark !== undefined) held.mark = { ...held.mark, ...to };
      return isSame;
    },
    install: () => undefined,
    close: () => {
      held.isClosed = true;
    },
  };
  return { held, marks };
}

/** A ledger with `events.last` events, each with its number as its seal. */
function ledgerOf(events: { last: number; epoch?: number }) {
  const asked = {
    identity: { ledgerId: 'L1' },
    meta: async () => ({ epoch: events.epoch ?? 0 }),
    lastSeq: async () => events.last,
    lastEvent: async (): Promise<EventMark> => ({ seq: events.last, seal: `s${events.last}` }),
    hasEvent: async ({ seq, seal }: EventMark) => seq <= events.last && seal === `s${seq}`,
    addAccount: async () => undefined,
    close: async () => undefined,
  };
  return asked as unknown as Ledger;
}

function fenced(mark: HighWaterMark | undefined, { last = 5, inode = '7' as string | null, epoch = 0 } = {}) {
  const events = { last, epoch };
  const { held, marks } = markAt(mark);
  const ledger = withFence(ledgerOf(events), { path, inode, marks, clock: stillClock });
  return { ledger, held, events };
}

const movedTo = (seq: number, inode: string | null = '7', epoch = 0) => ({
  seq,
  seal: `s${seq}`,
  epoch,
  path,
  inode,
  movedAtMs: nowMs,
});

describe('a fence moves the mark of its ledger', () => {
  it.each<[string, Partial<HighWaterMark>]>([
    ['from an earlier event', {}],
    ['from a place that was not known', { inode: null }],
    ['from another path of the same file', { path: '/l/renamed.db' }],
    ['from a file whose making was not known', { inode: '7.99' }],
  ])('%s', async (_, mark) => {
    const { ledger, held } = fenced({ ...first, ...mark });
    await ledger.fence();
    expect(held.moves).toMatchObject([movedTo(5)]);
  });

  test('to the events that came since, each time', async () => {
    const { ledger, held, events } = fenced(first);
    await ledger.fence();
    events.last = 9;
    await ledger.fence();
    expect(held.moves).toMatchObject([movedTo(5), movedTo(9)]);
  });

  test('not where it stands at that event already', async () => {
    const { ledger, held } = fenced({ ...first, seq: 5, seal: 's5' });
    await ledger.fence();
    await ledger.fence();
    expect(held.moves).toEqual([]);
  });

  test('from an event that others reached, to this place alone', async () => {
    const { ledger, held } = fenced({ ...first, path: '/l/renamed.db', seq: 5, seal: 's5' });
    await ledger.fence();
    expect(held.moves).toMatchObject([movedTo(5)]);
    const database = fenced({ ...first, inode: null, seq: 5, seal: 's5' }, { inode: null });
    await database.ledger.fence();
    expect(database.held.moves).toEqual([]);
    const marked = fenced(first, { inode: null });
    await marked.ledger.fence();
    expect(marked.held.moves).toMatchObject([movedTo(5, null)]);
    const unknown = fenced({ ...first, inode: null, seq: 5, seal: 's5' });
    await unknown.ledger.fence();
    expect(unknown.held.moves).toMatchObject([movedTo(5)]);
  });

  test('again where another process moved it in between, up to a hundred times', async () => {
    const { ledger, held } = fenced(first);
    held.refusals = 99;
    await ledger.fence();
    expect(held.moves).toMatchObject([movedTo(5)]);
    const busy = fenced(first);
    busy.held.refusals = 100;
    await expect(busy.ledger.fence()).rejects.toMatchObject({
      kind: 'locked',
      message: `other processes keep the mark of ${path} busy`,
      hint: 'run the same command again',
    });
  });

  test('once for all that ask while another one is under way', async () => {
    const { ledger, held, events } = fenced(first);
    const one = ledger.fence();
    events.last = 6;
    const others = [ledger.fence(), ledger.fence()];
    await Promise.all([one, ...others]);
    expect(held.moves.length).toBeLessThanOrEqual(2);
    expect(held.mark?.seq).toBe(6);
  });

  test('after one that failed', async () => {
    const { ledger, held } = fenced({ ...first, inode: '8' });
    await expect(ledger.fence()).rejects.toThrow('no longer the ledger in use');
    held.mark = first;
    await ledger.fence();
    expect(held.moves).toMatchObject([movedTo(5)]);
  });
});

test('a fence moves its mark from an event that it lacks, once a person has accepted it since', async () => {
  const { ledger, held, events } = fenced({ ...first, seq: 9, seal: 's9' }, { epoch: 1 });
  await ledger.fence();
  expect(held.moves).toMatchObject([movedTo(5, '7', 1)]);
  events.epoch = 2;
  events.last = 4;
  await ledger.fence();
  expect(held.moves.at(-1)).toMatchObject(movedTo(4, '7', 2));
});

describe('a fence lets nothing through', () => {
  const byCopy = `${path} is no longer the ledger in use: a copy of it was used meanwhile, or replaced it`;
  it.each<[string, HighWaterMark | undefined, string]>([
    ['where its mark is gone', undefined, byCopy],
    ['where it was retired', { ...first, isRetired: true }, byCopy],
    [
      'where it was retired at another place',
      { ...first, path: '/l/other.db', isRetired: true },
      `${path} is no longer the ledger in use: /l/other.db is in use now`,
    ],
    ['where another file has its mark', { ...first, inode: '8' }, byCopy],
    ['where it lacks the event of its mark', { ...first, seq: 6, seal: 's6' }, byCopy],
    ['where it went another way', { ...first, seal: 'x' }, byCopy],
    ['where a later copy of it was accepted', { ...first, epoch: 1 }, byCopy],
    [
      'where it was moved to a database',
      { ...first, path: 'postgres://s/db', inode: null },
      `${path} is no longer the ledger in use: postgres://s/db is in use now`,
    ],
    [
      'where another path has its mark',
      { ...first, path: '/l/other.db', inode: '8' },
      `${path} is no longer the ledger in use: /l/other.db is in use now`,
    ],
  ])('%s', async (_, mark, message) => {
    const { ledger, held } = fenced(mark);
    await expect(ledger.fence()).rejects.toMatchObject({
      kind: 'ledger',
      message,
      hint:
        'stop every process that pays from the other one; then find out which of them is right: reviewctl ledger ' +
        'status, reviewctl ledger reconcile',
    });
    expect(held.moves).toEqual([]);
  });

  test('once a copy moved the mark on to an event of its own', async () => {
    const { ledger, held, events } = fenced(first);
    await ledger.fence();
    held.mark = { ...first, seq: 6, seal: 'other' };
    events.last = 6;
    await expect(ledger.fence()).rejects.toThrow(byCopy);
  });

  test('where the ledger was refused when it was opened', async () => {
    const why = new Failure('ledger', 'it was last used on another machine');
    await expect(withoutClaims(ledgerOf({ last: 5 }), why).fence()).rejects.toBe(why);
  });
});

test('an account that the ledger learns is noted in its mark, where it has one', async () => {
  const { ledger, held } = fenced(first);
  await ledger.addAccount('B');
  expect(held.added).toEqual([{ ...first, accounts: ['B'] }]);
  const unmarked = fenced(undefined);
  await unmarked.ledger.addAccount('B');
  expect(unmarked.held.added).toEqual([]);
});

test('with its ledger the marks are closed', async () => {
  const { ledger, held } = fenced(first);
  await ledger.close();
  expect(held.isClosed).toBe(true);
});

/** A ledger of five events with its mark; its changes have the given results. */
function changing(mark: HighWaterMark = first, last = 5) {
  const { held, marks } = markAt(mark);
  const taken: unknown[] = [];
  const change = async (stepped: object, decision: object) => {
    const inner = async (_: string, step: Step<never>) => {
      taken.push(step({ entry: { keyGeneration: 0 } } as Facts));
      return stepped;
    };
    Object.assign(ledgers, { change: inner });
    return ledger.change('R1', () => decision as Decision<never>, { by: 'run' });
  };
  const ledgers = ledgerOf({ last });
  const delegating = {
    ...ledgers,
    change: (...asked: Parameters<Ledger['change']>) => ledgers.change(...asked),
  };
  const ledger = withFence(delegating as Ledger, { path, inode: '7', marks, clock: stillClock });
  return { ledger, held, taken, change };
}

const changed = (seq: number) => ({ kind: 'changed', seq, seal: `s${seq}` });
const decided = (kind: EventKind) => ({
  kind: 'change',
  entry: { keyGeneration: 0 },
  event: { kind, detail: {} },
});
const underNewKey = { ...decided('released'), entry: { keyGeneration: 1 } };

describe('a change', () => {
  it.each([decided('paid'), decided('refused'), underNewKey])(
    'that decides ($event.kind) moves the mark before it is known',
    async (decision) => {
      const { held, taken, change } = changing();
      expect(await change(changed(5), decision)).toEqual(changed(5));
      expect(taken).toEqual([decision]);
      expect(held.moves).toMatchObject([movedTo(5)]);
    },
  );

  it.each<[string, object, object]>([
    ...(['seen', 'claimed', 'released', 'unknown', 'reported'] as const).map(
      (kind): [string, object, object] => [kind, changed(5), decided(kind)],
    ),
    ['nothing new', changed(5), { kind: 'change', entry: { keyGeneration: 0 } }],
    ['to keep it', { kind: 'kept' }, { kind: 'no-change', event: { kind: 'paid' } }],
    ['what another one had done', { kind: 'kept' }, decided('paid')],
  ])('that decides nothing (%s) leaves it', async (_, stepped, decision) => {
    const { held, change } = changing();
    await change(stepped, decision);
    expect(held.moves).toEqual([]);
  });

  test('moves the mark to the last event of this process, whatever others wrote since', async () => {
    const { ledger, held, change } = changing(first, 9);
    for (const seq of [6, 5]) await change(changed(seq), decided('seen'));
    await change({ kind: 'kept', seq: 8, seal: 's8' }, decided('seen'));
    await ledger.fence();
    expect(held.moves).toMatchObject([movedTo(6)]);
  });

  test('that the disk lost leaves the mark at the last event there is', async () => {
    const { ledger, held, change } = changing(first, 4);
    await change(changed(5), decided('seen'));
    await ledger.fence();
    expect(held.moves).toMatchObject([movedTo(4)]);
  });

  test('takes a mark that others moved further to this place, and no further', async () => {
    const { ledger, held, change } = changing({ ...first, seq: 7, seal: 's7', path: '/l/renamed.db' }, 7);
    await change(changed(5), decided('seen'));
    await ledger.fence();
    expect(held.moves).toMatchObject([movedTo(7)]);
  });
});
