import { expect, it } from 'vitest';
import { isPrivateGroup } from '../../src/base/path-exposure.ts';

const users = [
  'root:x:0:0:root:/root:/bin/bash',
  'haneul:x:1000:1000:,,,:/home/haneul:/bin/bash',
  'sua:x:1001:1001::/home/sua:/bin/sh',
  'deploy:x:1002:100::/home/deploy:/bin/sh',
];
const groups = ['root:x:0:', 'users:x:100:', 'haneul:x:1000:', 'sua:x:1001:sua', 'shop:x:2000:haneul'];
const isPrivate = (group: number, user: number, more: { users?: string; groups?: readonly string[] } = {}) =>
  isPrivateGroup(group, user, () => ({
    users: `${[...users, ...(more.users === undefined ? [] : [more.users])].join('\n')}\n`,
    groups: `${(more.groups ?? groups).join('\n')}\n`,
  }));

it('is the group of the name of the user, who is alone in it', () => {
  expect([isPrivate(1000, 1000), isPrivate(1001, 1001)]).toEqual([true, true]);
});

it('is none that another user is in, by the list of the group or by the own entry', () => {
  expect(isPrivate(1000, 1000, { groups: ['haneul:x:1000:sua'] })).toBe(false);
  expect(isPrivate(1000, 1000, { users: 'guest:x:1003:1000::/home/guest:/bin/sh' })).toBe(false);
  expect(isPrivate(1000, 1000, { groups: ['haneul:x:1000:', 'staff:x:1000:'] })).toBe(false);
});

it('is none of another user, of several, or of root', () => {
  expect([isPrivate(1001, 1000), isPrivate(2000, 1000), isPrivate(100, 1002)]).toEqual([false, false, false]);
  expect(isPrivate(0, 0)).toBe(false);
});

it('is none that the lists of the machine do not show', () => {
  expect([isPrivate(1000, 1000, { groups: [] }), isPrivate(1004, 1004)]).toEqual([false, false]);
  expect(isPrivateGroup(1000, 1000, () => undefined)).toBe(false);
});
