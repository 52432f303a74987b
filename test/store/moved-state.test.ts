import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkNotMoved, readMoved, writeMoved } from '../../src/store/state/moved-state.ts';
import { postgresStateLocation } from '../../src/store/state/state-location.ts';
import { temporaryFolder } from '../push/open-push.ts';

const moved = {
  move: 'm1',
  to: 'postgres://db.example/l?schema=s',
  shop: 'mall',
  atMs: Date.UTC(2026, 10, 22),
  hasLedger: true,
  isFinished: true,
};

test('a folder says where its state was moved, and the state in it is used no more', () => {
  const folder = temporaryFolder();
  expect(readMoved(folder)).toBeUndefined();
  checkNotMoved(folder);
  writeMoved(folder, { ...moved, isFinished: false });
  expect(() => checkNotMoved(folder)).toThrow(
    expect.objectContaining({
      kind: 'config',
      message: `the move of the state in ${folder} to ${moved.to} was interrupted, and may have arrived`,
      hint: `finish it: reviewctl state move -c state='${moved.to}' -c shop=mall`,
    }),
  );
  writeMoved(folder, moved);
  expect(readMoved(folder)).toEqual(moved);
  expect(() => checkNotMoved(folder)).toThrow(
    expect.objectContaining({
      kind: 'config',
      message: `the state in ${folder} was moved to ${moved.to} on 2026-11-22 09:00 +09:00, and is no longer used`,
      hint: `use it there: reviewctl config set state '${moved.to}', then reviewctl config set shop mall`,
    }),
  );
});

test.each([
  ['of no JSON', '{'],
  ['of a list', '[]'],
  ...['move', 'to', 'shop'].map((name) => [
    `with a number as ${name}`,
    JSON.stringify({ ...moved, [name]: 1 }),
  ]),
  ['with a text as its time', JSON.stringify({ ...moved, atMs: '1' })],
  ['that does not say whether it arrived', JSON.stringify({ ...moved, isFinished: undefined })],
])('a note %s is damaged, and the state is not used', (_, text) => {
  const folder = temporaryFolder();
  const path = join(folder, 'moved.json');
  writeFileSync(path, text);
  expect(() => readMoved(folder)).toThrow(
    expect.objectContaining({
      kind: 'config',
      message: `${path}, which names where the state was moved, is damaged`,
      hint: 'restore a copy of it; its text names the move, the address, the shop and the time',
    }),
  );
});

test('a note that cannot be written leaves the state in use', () => {
  const folder = join(temporaryFolder(), 'gone');
  expect(() => writeMoved(folder, moved)).toThrow(
    expect.objectContaining({
      kind: 'unwritable-path',
      message: expect.stringMatching(
        `^${join(folder, 'moved.json')}, which names where the state is from now on, cannot be written: ENOENT`,
      ),
      hint: 'check that its disk has free space and that you may write to its folder, then run the same command again',
    }),
  );
});

test.each([
  ['https://api.example/', 'mall@api.example'],
  ['https://api.example:8443/v1/a//', 'mall@api.example:8443/v1/a'],
])('the state of a shop at the service %s has the key %s', (service, key) => {
  const state = { url: 'postgres://db.example/l', password: 'hush', shop: 'mall', service: new URL(service) };
  expect(postgresStateLocation('/state/p', state)).toMatchObject({
    kind: 'postgres',
    holds: 'state',
    path: 'postgres://db.example/l?schema=reviewctl_mall',
    address: { host: 'db.example', schema: 'reviewctl_mall' },
    password: 'hush',
    folder: '/state/p',
    shop: 'mall',
    key,
  });
});
