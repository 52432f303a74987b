import { Failure } from '../../../base/failure.ts';
import { ephemeralDisk } from '../../../config/ephemeral-disk.ts';
import type { PushCommandFlags } from '../../flags/push-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { stateFolderOf } from '../../runtime/find-state.ts';

/**
 * Refuses to send a shard whose journal may be gone when its scheduler restarts it, perhaps on another machine: it
 * would send its records again. A folder set with REVIEWCTL_STATE_DIR may be persistent although its disk does not look
 * so; it is used with a warning.
 * @throws Failure('config').
 */
export function checkStateKept(invocation: Invocation<PushCommandFlags>): void {
  const { context, flags, notices } = invocation;
  if (flags.dryRun || flags.state !== undefined) return;
  const folder = stateFolderOf(invocation);
  const place = ephemeralDisk(folder);
  if (place === undefined) return;
  const danger = `the state folder ${folder} is ${place}; started again without it, a shard sends its records twice`;
  const remedy =
    'keep the state in PostgreSQL: -c state=postgres://USER@HOST/DATABASE; or set REVIEWCTL_STATE_DIR to a folder ' +
    'on a disk that is kept, such as a mounted volume';
  if (!context.env['REVIEWCTL_STATE_DIR']) throw new Failure('config', danger, remedy);
  notices.warning(danger, remedy);
}
