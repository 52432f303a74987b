import { expect, test } from 'vitest';
import { exposureOf } from '../../src/config/private-path.ts';

const me = 1000;
const file = (uid: number, mode: number) => exposureOf('/c/my config', { uid, mode }, me);

test('a path of this user alone, or of root, is private', () => {
  expect([file(me, 0o100600), file(me, 0o100400), file(0, 0o100600)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('a path of another user is not, and the remedy takes it over', () => {
  expect(file(1001, 0o100600)).toEqual({
    why: 'belongs to another user',
    remedy: `sudo chown "$(id -un)" '/c/my config'`,
  });
});

test('a path that others may open is not, and the remedy closes it', () => {
  expect(file(me, 0o100640)?.remedy).toBe(`chmod 600 '/c/my config'`);
  expect(exposureOf('/c', { uid: me, mode: 0o40_755 }, me)?.remedy).toBe('chmod 700 /c');
});

test('where the system knows no user ids, nothing is asked', () => {
  expect(exposureOf('/c', { uid: 0, mode: 0o40_777 }, undefined)).toBeUndefined();
});
