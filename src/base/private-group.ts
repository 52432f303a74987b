import { readFileSync } from 'node:fs';

/** The lists of users and groups of a machine, in the form of `/etc/passwd` and `/etc/group`. */
export interface AccountLists {
  readonly users: string;
  readonly groups: string;
}

/**
 * Whether a group is that of this user alone: of the same name, and no other user is in it. Debian, Ubuntu and others
 * give each user one, and let it write to all that the user makes. What the lists do not show is not believed, and
 * root, whom no such rule is made for, has none.
 */
export function isPrivateGroup(
  groupId: number,
  userId: number,
  lists: () => AccountLists | undefined = systemLists,
): boolean {
  const read = userId === 0 ? undefined : lists();
  if (read === undefined) return false;
  const users = linesOf(read.users).map(([name, , user, group]) => ({
    name,
    id: Number(user),
    group: Number(group),
  }));
  const own = users.find(({ id }) => id === userId)?.name;
  const groups = linesOf(read.groups).filter(([, , id]) => Number(id) === groupId);
  const members = groups.flatMap(([, , , names = '']) => names.split(',').filter((name) => name !== ''));
  return (
    groups.length > 0 &&
    groups.every(([name]) => name === own) &&
    members.every((name) => name === own) &&
    users.every(({ id, group }) => id === userId || group !== groupId)
  );
}

function linesOf(list: string): readonly (readonly string[])[] {
  return list
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(':'));
}

function systemLists(): AccountLists | undefined {
  try {
    return { users: readFileSync('/etc/passwd', 'utf8'), groups: readFileSync('/etc/group', 'utf8') };
  } catch {
    return undefined;
  }
}
