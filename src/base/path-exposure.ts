import { constants, lstatSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { dirname, isAbsolute, join, sep } from 'node:path';
import { isContainer } from './disk-kind.ts';
import { Failure } from './failure.ts';
import { shellWord } from './shell-word.ts';

/** The access to a path that is too open, and the command that fixes it. */
export interface Exposure {
  readonly why: string;
  readonly remedy: string;
}

/** A part of a path through which others could replace its target. */
export interface ExposedPart extends Exposure {
  readonly path: string;
}

/** The user for whom a path must be safe from others. */
export interface PathUser {
  readonly id: number;
  /**
   * True if all members of a group are this user: for a private group, and in a container for the groups of the
   * process.
   */
  readonly isOwnGroup: (id: number) => boolean;
  /** Another user, besides root, who may change it. */
  readonly trusted?: number | undefined;
}

type Owned = Pick<Stats, 'uid' | 'gid' | 'mode'>;

/** The part of a file system that determines who may change files. */
export interface PathTree {
  /** The file at a path, without following links. Undefined if there is none, or the user may not look. */
  readonly at: (path: string) => Owned | undefined;
  readonly targetOf: (link: string) => string;
}

/** The limit of the kernel: longer chains of links fail. */
const linksMaximum = 40;
const stickyBit = 0o1000;

/**
 * Describes how a file or folder with secrets is open to users other than that of this process; undefined if it is
 * not. Owner root is trusted like the user. `userId` is undefined on a system without user ids.
 */
export function exposureOf(
  path: string,
  stats: Omit<Owned, 'gid'>,
  userId: number | undefined,
): Exposure | undefined {
  if (userId === undefined) return undefined;
  const foreign = foreignOwner(path, stats, userId);
  if (foreign !== undefined || (stats.mode & 0o077) === 0) return foreign;
  const remedy = `chmod ${isOfType(stats, constants.S_IFDIR) ? 700 : 600} ${shellWord(path)}`;
  return { why: 'is open to other users of this machine', remedy };
}

/**
 * The first part of `path`, from the root on, through which others than this user and root could change or replace its
 * target: the file or folder itself, a folder above it, or a symbolic link on the way. A folder above it such as /tmp
 * is safe, since everyone may write there but only owners may rename. Undefined if there is none, or the path does not
 * exist.
 */
export function exposedPart(
  path: string,
  user: PathUser | undefined = thisUser(),
  tree: PathTree = thisTree,
): ExposedPart | undefined {
  if (user === undefined) return undefined;
  let at: string = sep;
  let rest = namesOf(isAbsolute(path) ? path : join(process.cwd(), path));
  for (let links = 0; links <= linksMaximum; ) {
    const stats = tree.at(at);
    if (stats === undefined) return undefined;
    const exposure = exposureToWriters(at, stats, { user, isLast: rest.length === 0 });
    if (exposure !== undefined) return { path: at, ...exposure };
    if (isOfType(stats, constants.S_IFLNK)) {
      links += 1;
      const target = tree.targetOf(at);
      rest = [...namesOf(target), ...rest];
      at = isAbsolute(target) ? sep : dirname(at);
    } else {
      const [name, ...further] = rest;
      if (name === undefined) return undefined;
      // Links in `at` are resolved, so that its parent by name is its real parent.
      at = name === '..' ? dirname(at) : join(at, name);
      rest = further;
    }
  }
  return undefined;
}

/**
 * Checks that no other user except root can change the target of `path`, whose purpose is `role`: `moves money`.
 * @throws Failure of `kind` with the command that fixes it.
 */
export function requireOwn(path: string, kind: 'config' | 'ledger', role: string): void {
  const exposed = exposedPart(path);
  if (exposed === undefined) return;
  const does = exposed.path === path ? role : `leads to ${path}, which ${role}`;
  throw new Failure(kind, `${exposed.path} ${exposed.why}, and it ${does}`, exposed.remedy);
}

function exposureToWriters(
  path: string,
  stats: Owned,
  { user, isLast }: { readonly user: PathUser; readonly isLast: boolean },
): Exposure | undefined {
  const foreign = stats.uid === user.trusted ? undefined : foreignOwner(path, stats, user.id);
  if (foreign !== undefined || isOfType(stats, constants.S_IFLNK)) return foreign;
  const isOfGroup = (stats.mode & constants.S_IWGRP) !== 0 && !user.isOwnGroup(stats.gid);
  if (!isOfGroup && (stats.mode & constants.S_IWOTH) === 0) return undefined;
  const why = 'may be changed by other users of this machine';
  if ((stats.mode & stickyBit) === 0) {
    return { why, remedy: `${stats.uid === user.id ? '' : 'sudo '}chmod go-w ${shellWord(path)}` };
  }
  if (!isLast) return undefined;
  return {
    why,
    remedy: `use a folder of your own instead: mkdir -m 700 ${shellWord(join(path, 'reviewctl'))}`,
  };
}

function foreignOwner(path: string, { uid, mode }: Omit<Owned, 'gid'>, userId: number) {
  if (uid === userId || uid === 0) return undefined;
  const ofLink = isOfType({ mode }, constants.S_IFLNK) ? '-h ' : '';
  return { why: 'belongs to another user', remedy: `sudo chown ${ofLink}"$(id -un)" ${shellWord(path)}` };
}

/** Undefined on a system without user ids. */
function thisUser(): PathUser | undefined {
  const id = process.getuid?.();
  if (id === undefined) return undefined;
  const isOfProcess = (group: number) => isContainer() && process.getgroups?.().includes(group) === true;
  return { id, isOwnGroup: (group) => isOfProcess(group) || isPrivateGroup(group, id) };
}

const thisTree: PathTree = {
  at: (path) => {
    try {
      return lstatSync(path);
    } catch {
      return undefined;
    }
  },
  targetOf: (link) => readlinkSync(link),
};

function isOfType({ mode }: Pick<Stats, 'mode'>, type: number): boolean {
  return (mode & constants.S_IFMT) === type;
}

function namesOf(path: string): readonly string[] {
  return path.split(sep).filter((name) => name !== '' && name !== '.');
}

/** The lists of users and groups of a machine, in the formats of `/etc/passwd` and `/etc/group`. */
export interface AccountLists {
  readonly users: string;
  readonly groups: string;
}

/**
 * True if a group is private to this user: it has the same name and no other member. Debian, Ubuntu and others create
 * such a group for each user, which may write to all files that the user creates. A group missing in the lists does not
 * count, and root, to whom this custom does not apply, has none.
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
