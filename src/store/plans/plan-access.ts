import { execFileSync } from 'node:child_process';
import { type Stats, statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { exposedPart } from '../../base/path-exposure.ts';
import { shellWord } from '../../base/shell-word.ts';

/** The only user of this machine whose plans are accepted. */
export interface PlanOwner {
  /** The user as given: a name or a number. */
  readonly user: string;
  readonly uid: number;
}

/**
 * Finds the user `user` on this machine.
 * @throws Failure('usage') if there is no such user, or the system has no file owners.
 */
export function findPlanOwner(user: string): PlanOwner {
  if (process.getuid === undefined) {
    throw new Failure('usage', 'plan-owner: this system has no file owners', 'leave it out here');
  }
  const uid = /^\d+$/.test(user) ? Number(user) : uidOf(user);
  if (uid === undefined) {
    throw new Failure(
      'usage',
      `plan-owner: this machine has no user ${user}`,
      'name a user as `id -un` prints it, or give its number as `id -u` does',
    );
  }
  return { user, uid };
}

/** Asks the system, since not every user is in /etc/passwd. */
function uidOf(name: string): number | undefined {
  if (!/^[A-Za-z_][\w.@\\-]*\$?$/.test(name)) return undefined;
  try {
    const output = execFileSync('id', ['-u', name], {
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
    });
    return Number.parseInt(output, 10);
  } catch {
    return undefined;
  }
}

/** The access that a plan may grant. */
export interface PlanAccess {
  /** The only user whose plans are accepted; any user if left out. */
  readonly owner?: PlanOwner | undefined;
  /** True if the plan is only displayed, not executed. */
  readonly isOnlyShown?: boolean;
}

/**
 * Checks the access rights of an open plan. Only its owner may read or write it, since it contains personal data and
 * decides what is done. With `owner`, or if it is only displayed, its group may read it, because a second person must.
 * @throws Failure('config') if its mode is too permissive; Failure('guard') if `owner` is not its only owner, or a
 *   folder on its path lets another user replace it.
 */
export async function checkPlanAccess(
  path: string,
  file: FileHandle,
  { owner, isOnlyShown = false }: PlanAccess,
): Promise<void> {
  const stats = await file.stat();
  if (!stats.isFile())
    throw new Failure('unreadable-path', `the plan ${path} is not a file`, 'name the file of a plan');
  if (process.getuid === undefined) return;
  const mode = owner === undefined && !isOnlyShown ? 0o600 : 0o640;
  const extra = stats.mode & 0o777 & ~mode & ~0o100;
  if (extra !== 0) {
    throw new Failure(
      'config',
      `the plan ${path} may be ${(extra & 0o022) === 0 ? 'read' : 'changed'} by other users of this machine`,
      hint`if you trust its content (${reviewctl`plan show ${path}`} prints it once this is done): chmod
        ${mode.toString(8)} ${shellWord(path)}`,
    );
  }
  if (owner !== undefined) await checkOwner(path, stats, owner);
}

async function checkOwner(path: string, { uid, nlink, dev, ino }: Stats, owner: PlanOwner): Promise<void> {
  if (uid !== owner.uid) {
    throw new Failure(
      'guard',
      `the plan ${path} belongs to user ${uid}, and only plans of ${owner.user} (user ${owner.uid}) are accepted here`,
      `let ${owner.user} make the plan, with --plan-out`,
    );
  }
  if (nlink !== 1) {
    throw new Failure(
      'guard',
      `the plan ${path} has ${nlink} names, so another user may have put it here`,
      `let ${owner.user} copy it to a new file, and name that`,
    );
  }
  const named = statSync(path);
  const user = { id: owner.uid, isOwnGroup: () => false, trusted: process.getuid?.() };
  const open = exposedPart(path, user)?.path;
  if (open !== undefined) {
    throw new Failure(
      'guard',
      `users other than ${owner.user} may replace the plan ${path}: they may write to ${open}`,
      `chmod go-w ${shellWord(open)}, or keep plans in a folder that belongs to ${owner.user}`,
    );
  }
  if (named.dev !== dev || named.ino !== ino) {
    throw new Failure(
      'guard',
      `another file replaced the plan ${path} while it was opened`,
      'run the same command again',
    );
  }
}
