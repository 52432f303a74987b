import { existsSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ledgerLocation, markedLocation } from '../../src/store/ledger/ledger-location.ts';
import { openLedgerStore } from '../../src/store/open-store.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { identity } from '../settle/entries.ts';
import { stillClock } from './open-ledger-place.ts';

const start = { ...identity, isAnyDisk: true, clock: stillClock };

test('a place says whether its ledger exists, and creates it with the folders of the state', async () => {
  const state = join(temporaryFolder(), 'state');
  const location = ledgerLocation(state, join(state, 'shop', 'api.example'));
  const store = await openLedgerStore(location);
  expect(await store.exists()).toBe(false);
  expect(existsSync(state)).toBe(false);
  await store.create(start);
  expect(await store.exists()).toBe(true);
  expect(statSync(dirname(location.path)).mode & 0o777).toBe(0o700);
});

test('the folder of a file that the user named is not created: its disk may be missing', async () => {
  const state = temporaryFolder();
  const location = ledgerLocation(state, join(state, 'shop'), join(state, 'mounted', 'ledger.db'));
  await expect((await openLedgerStore(location)).create(start)).rejects.toMatchObject({
    kind: 'unwritable-path',
    message: expect.stringContaining(location.path),
  });
  expect(existsSync(dirname(location.path))).toBe(false);
});

test('a ledger without a state folder gets a mark in a new one, when it is opened', async () => {
  const made = temporaryFolder();
  const file = join(made, 'ledger.db');
  await (await openLedgerStore(ledgerLocation(join(made, 'state'), '', file))).create(start);
  const moved = await openLedgerStore(ledgerLocation(join(made, 'other', 'state'), '', file));
  await (await moved.open(start)).close();
  expect(await moved.marks()).toMatchObject([{ path: file }]);
});

test('a mark leads to its ledger, or shows that it is gone', async () => {
  const state = temporaryFolder();
  const location = ledgerLocation(state, join(state, 'shop'));
  const store = await openLedgerStore(location);
  await store.create(start);
  const [mark] = await store.marks();
  if (mark === undefined) throw new Error('a new ledger has a mark');
  const marked = await openLedgerStore(markedLocation(mark, location));
  expect(await marked.exists()).toBe(true);
  rmSync(mark.path);
  expect(await marked.exists()).toBe(false);
});
