import { findFolders, stateFolder, stateFolderPath } from '../../config/folders.ts';
import { type PrivateFileReader, readPrivateFile } from '../../config/private-file.ts';
import type { SettingSources } from '../../config/setting-sources.ts';
import { stateLocks } from '../../store/open-store.ts';
import { prepareState } from '../../store/prepare-state.ts';
import {
  postgresStateLocation,
  type StateLocation,
  stateLocation,
} from '../../store/state/state-location.ts';
import type { FlagValues } from '../flags/flags.ts';
import type { connectionFlags, stateFlags } from '../flags/shared-flags.ts';
import type { Invocation } from './command.ts';
import { serviceAddress } from './session.ts';

/** The flags that locate the state of a profile at a service. */
export type StateFlags = typeof stateFlags & Pick<typeof connectionFlags, 'baseUrl'>;
interface NamedState {
  readonly context: PrivateFileReader;
  readonly flags: FlagValues<StateFlags>;
  readonly sources: Pick<SettingSources, 'profile'>;
}
type StateInvocation = Invocation<StateFlags>;

/**
 * The location of the state, from the flags.
 * @throws Failure('config') without the address of a service; Failure('usage') for an invalid database address; as
 * `statePassword`.
 */
export async function findState({ context, flags, sources }: NamedState): Promise<StateLocation> {
  const folder = stateFolderOf({ context, flags, sources });
  if (flags.state === undefined) return stateLocation(folder);
  return postgresStateLocation(folder, {
    url: flags.state,
    password: await statePassword(flags.statePasswordFile, context),
    shop: flags.shop ?? sources.profile.name,
    service: serviceAddress(flags),
  });
}

/** The folder on this machine for the state of the profile at the service; it may not exist. */
export function stateFolderOf({ context, flags, sources }: NamedState): string {
  return stateFolderPath(findFolders(context.env), sources.profile.name, serviceAddress(flags));
}

/**
 * Opens the state that the flags name, and creates its folder on this machine. With `isReadOnly`, nothing is created.
 * @throws as `findState`, `stateFolder` and `prepareState`.
 */
export async function openState(
  invocation: StateInvocation,
  { isReadOnly = false }: { readonly isReadOnly?: boolean } = {},
): Promise<StateLocation> {
  const location = await findState(invocation);
  if (!isReadOnly) makeOwnFolder(invocation);
  await prepareState(location, { clock: invocation.context.clock, isReadOnly });
  return location;
}

/**
 * Opens the state and holds a lock on it until the command has ended. The state is prepared under the lock, so that it
 * cannot be moved meanwhile.
 * @throws Failure('locked') while another process holds the lock; as `openState`.
 */
export async function lockState(
  invocation: StateInvocation,
  name: string,
  activity: string,
): Promise<StateLocation> {
  const location = await findState(invocation);
  makeOwnFolder(invocation);
  const held = await stateLocks(location).acquire(name, activity);
  invocation.defer(() => held.release());
  await prepareState(location, { clock: invocation.context.clock, isReadOnly: false });
  return location;
}

/** Creates the folder on this machine for the state. @throws as `stateFolder`. */
function makeOwnFolder({ context, flags, sources }: StateInvocation): void {
  stateFolder(findFolders(context.env), sources.profile.name, serviceAddress(flags));
}

/** @throws as `readPrivateFile`. */
export async function statePassword(
  file: string | undefined,
  reader: PrivateFileReader,
): Promise<string | undefined> {
  if (file === undefined) return reader.env['PGPASSWORD'];
  return (await readPrivateFile(file, 'state-password-file', reader)).replace(/\r?\n$/, '');
}
