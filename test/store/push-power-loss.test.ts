import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Random } from '../../src/base/random.ts';
import { seededRandom } from '../../src/base/random.ts';
import type { Transport } from '../../src/contract/wire.ts';
import { openJournal } from '../../src/store/journal/open-journal.ts';
import { DiskImages } from '../campaign/disk-images.ts';
import { addProduct, entriesOf, openPush, orderItems, temporaryFolder } from '../push/open-push.ts';

/*
 * The effect of a loss of power on a push, if the disk keeps synced data and any sectors of the rest. `npm run campaign
 * -- power` traces the program to check that it syncs before it sends a request.
 */

/** A journal on a disk whose power may fail at any time. */
class LosableDisk {
  readonly path = join(temporaryFolder(), 'pushes.db');
  #synced = { database: Buffer.alloc(0), log: Buffer.alloc(0) };

  /** Like fdatasync: data written during the call may or may not reach the disk. */
  readonly sync = async (): Promise<void> => {
    const now = this.#read();
    await new Promise(setImmediate);
    this.#synced = now;
  };

  readonly open = () => openJournal({ kind: 'sqlite', path: this.path, sync: this.sync });

  /** The path of the journal as left on the disk by a loss of power now, with any part of the unsynced data. */
  cut(random: Random): string {
    const { database, log } = this.#synced;
    const images = new DiskImages(
      new Map([
        ['pushes.db', database],
        ['pushes.db-wal', log],
      ]),
    );
    const written = this.#read().log.subarray(log.length);
    images.apply({ kind: 'write', path: 'pushes.db-wal', content: written, offset: log.length });
    const folder = join(temporaryFolder(), 'cut');
    mkdirSync(folder);
    const left = random() < 0.5 ? images.withoutUnsynced() : images.withSome(random);
    for (const [name, content] of left) writeFileSync(join(folder, name), content);
    return join(folder, 'pushes.db');
  }

  #read() {
    return { database: readFileSync(this.path), log: readFileSync(`${this.path}-wal`) };
  }
}

const items = entriesOf(orderItems(40));

test('whatever has reached the service when the power fails is known after it: nothing goes out again silently', async () => {
  const disk = new LosableDisk();
  const random = seededRandom(1);
  const arrived: string[] = [];
  const cuts: { readonly path: string; readonly arrived: readonly string[] }[] = [];
  const cutting =
    (transport: Transport): Transport =>
    async (request, signal) => {
      if (request.method === 'POST') {
        arrived.push(...[...String(request.body).matchAll(/"originId":"(I\d+)"/g)].map(([, id = '']) => id));
        cuts.push({ path: disk.cut(random), arrived: [...arrived] });
      }
      return transport(request, signal);
    };
  const push = await openPush({ around: cutting });
  addProduct(push);
  const journal = await disk.open();
  const { error } = await push.orders(items, { journal, batchSize: 3, concurrency: 3 });
  expect(error).toBeUndefined();
  expect(arrived).toHaveLength(items.length);
  const beforeClose = disk.cut(random);
  await journal.close();

  for (const cut of [...cuts, { path: beforeClose, arrived }]) {
    const left = await openJournal({ kind: 'sqlite', path: cut.path });
    await left.recover('order-item');
    const known = await left.known('order-item', cut.arrived);
    expect([...known.keys()].toSorted()).toEqual(cut.arrived.toSorted());
    await left.close();
  }
  expect(cuts.length).toBeGreaterThan(10);
});

test('a run after a loss of power names what it no longer has an answer to as unknown, and sends only the rest', async () => {
  const disk = new LosableDisk();
  let cut: { readonly path: string; readonly arrived: number } | undefined;
  const stopping = new AbortController();
  const cutting =
    (transport: Transport): Transport =>
    async (request, signal) => {
      const reply = await transport(request, signal);
      if (request.method === 'POST' && push.requests.length >= 6) {
        cut ??= { path: disk.cut(() => 0), arrived: itemsOf(push).length };
        stopping.abort();
      }
      return reply;
    };
  const push = await openPush({ around: cutting });
  addProduct(push);
  const journal = await disk.open();
  await push.orders(items, { journal, batchSize: 3, concurrency: 1, stopping: stopping.signal });
  await journal.close();
  const before = itemsOf(push);
  expect(before).toHaveLength(cut?.arrived ?? 0);

  const left = await openJournal({ kind: 'sqlite', path: cut?.path ?? '' });
  expect(await left.recover('order-item')).toBeGreaterThan(0);
  const { outcomes } = await push.orders(items, { journal: left, batchSize: 3, concurrency: 1 });
  await left.close();
  const words = new Map(outcomes.map(({ originId, outcome }) => [originId, outcome]));
  expect(before.map((id) => words.get(id))).toEqual(
    before.map(() => expect.stringMatching(/^(?:skipped|unknown)$/)),
  );
  expect(before.map((id) => words.get(id))).toContain('unknown');
  expect(itemsOf(push).toSorted()).toEqual(items.map(({ record }) => record.originId).toSorted());
});

function itemsOf({ sandbox }: Awaited<ReturnType<typeof openPush>>): readonly string[] {
  return sandbox.transact(({ state }) =>
    [...state.orderItems.values()].map(({ originId }) => originId ?? ''),
  );
}

test('where the disk fails, no request leaves, and none is taken for one that did', async () => {
  const disk = new LosableDisk();
  let isBroken = false;
  const failure = Object.assign(new Error('EIO: i/o error, fdatasync'), { syscall: 'fdatasync' });
  const sync = () => (isBroken ? Promise.reject(failure) : disk.sync());
  const push = await openPush();
  addProduct(push);
  const journal = await openJournal({ kind: 'sqlite', path: disk.path, sync });
  isBroken = true;
  const sent = push.requests.length;
  const { outcomes, error } = await push.orders(items, { journal, batchSize: 3, concurrency: 3 });
  expect(error).toMatchObject({
    kind: 'unreadable-path',
    message: `the journal ${disk.path} cannot be used: EIO: i/o error, fdatasync`,
  });
  expect(outcomes).toEqual([]);
  expect(push.requests.slice(sent).filter(({ method }) => method === 'POST')).toEqual([]);
  await expect(journal.close()).rejects.toThrow('EIO: i/o error, fdatasync');
  const next = await openJournal({ kind: 'sqlite', path: disk.path });
  expect(await next.recover('order-item')).toBe(0);
  await next.close();
});
