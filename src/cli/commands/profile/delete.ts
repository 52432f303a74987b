import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, messageOf } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { shellWord } from '../../../base/shell-word.ts';
import { type Folders, findFolders, profileStatePath } from '../../../config/folders.ts';
import {
  type Config,
  choiceOfDefault,
  chosenProfile,
  readConfig,
  removeProfile,
  settingsOf,
  unknownProfile,
} from '../../../config/profiles.ts';
import { ledgerLocation, type SqliteLedgerLocation } from '../../../store/ledger/ledger-location.ts';
import { openLedgerStore, ownerLocks, stateLocks } from '../../../store/open-store.ts';
import { stateLocation } from '../../../store/state/state-location.ts';
import { switchFlag } from '../../flags/flags.ts';
import { askFlags, connectionFlags } from '../../flags/shared-flags.ts';
import { isChangeConfirmed } from '../../runtime/ask.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';

const { debug } = connectionFlags;
const flags = {
  withState: switchFlag('also delete its state; never a ledger'),
  ...askFlags,
  debug,
};
type DeleteInvocation = Invocation<typeof flags>;

export const command = defineCommand({
  argument: { term: '<name>', help: 'the profile' },
  flags,
  acceptsInvalidSettings: true,
  examples: ['reviewctl profile delete trial', 'reviewctl profile delete trial --with-state --yes'],
  exitCodes: [9, 12],
  run: async (invocation) => {
    const { args, context, flags: given } = invocation;
    const folders = findFolders(context.env);
    const config = readConfig(folders);
    const name = chosenProfile(config, args[0]);
    const state = profileStatePath(folders, name);
    if (settingsOf(config, name) === undefined && !existsSync(state)) throw unknownProfile(name, config);
    if (given.withState) await checkNoLedger(folders, name);
    if (!(await isChangeConfirmed(questionOf(name, state, given), invocation))) return;
    if (given.withState) await deleteWithState(invocation, folders, name, state);
    else await removeProfile(folders, name);
    await report(invocation, { name, state, config, folders });
  },
});

function questionOf(name: string, state: string, { withState }: DeleteInvocation['flags']): string {
  return withState && existsSync(state)
    ? `Delete profile ${name}, its credential and its state in ${state}? Without that state, a later push sends ` +
        'every record again'
    : `Delete profile ${name} with its settings and its credential?`;
}

/** @throws Failure('ledger') if the state records payments, or may record some. */
async function checkNoLedger(folders: Folders, name: string): Promise<void> {
  const [ledger] = await ledgersOf(folders, name);
  if (ledger === undefined) return;
  throw new Failure(
    'ledger',
    `${ledger.path} records payments, and no command deletes a ledger; nothing was deleted`,
    hint`to delete the settings alone: ${reviewctl`profile delete ${name}`}; or move the ledger to its new place first,
      then ${reviewctl`ledger accept --complete --profile ${name} -c ledger=FILE`}`,
  );
}

async function deleteWithState(
  { defer }: DeleteInvocation,
  folders: Folders,
  name: string,
  state: string,
): Promise<void> {
  await lockUnusedState(folders, name, defer);
  await removeProfile(folders, name);
  try {
    rmSync(state, { recursive: true, force: true });
  } catch (error) {
    throw new Failure(
      'unwritable-path',
      `profile ${name} was deleted, but its state in ${state} cannot be: ${messageOf(error)}`,
      `rm -r ${shellWord(state)}`,
      { cause: error },
    );
  }
}

interface Deleted {
  readonly name: string;
  readonly state: string;
  readonly config: Config;
  readonly folders: Folders;
}

async function report(
  { notices }: DeleteInvocation,
  { name, state, config, folders }: Deleted,
): Promise<void> {
  const hadCredential = settingsOf(config, name)?.['token'] !== undefined;
  notices.summary(
    `profile ${name} was deleted from this machine${hadCredential ? '; the service still accepts its credential' : ''}`,
  );
  for (const { path } of await ledgersOf(folders, name)) notices.info(`its ledger stays: ${path}`);
  if (existsSync(state)) {
    notices.info(
      hint`the records of its pushes stay in ${state}; to delete them as well:
        ${reviewctl`profile delete ${name} --with-state`}`,
    );
  }
  const choice = choiceOfDefault(readConfig(folders));
  if (choice !== undefined) notices.info(hint`no profile is the default now; ${choice}`);
}

/** The folders of a profile's state, one for each service. */
function serviceFolders(folders: Folders, profile: string): readonly string[] {
  const path = profileStatePath(folders, profile);
  if (!existsSync(path)) return [];
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
}

/** The ledgers in the state of a profile. */
async function ledgersOf(folders: Folders, profile: string): Promise<readonly SqliteLedgerLocation[]> {
  const found: SqliteLedgerLocation[] = [];
  for (const folder of serviceFolders(folders, profile)) {
    const location = ledgerLocation(folders.state, folder);
    if (await (await openLedgerStore(location)).exists()) found.push(location);
  }
  return found;
}

/**
 * Keeps runs from using the state of a profile until the command has ended.
 * @throws Failure('locked') if a run uses it.
 */
async function lockUnusedState(
  folders: Folders,
  profile: string,
  defer: DeleteInvocation['defer'],
): Promise<void> {
  for (const folder of serviceFolders(folders, profile)) {
    const locks = stateLocks(stateLocation(folder));
    for (const name of await locks.names()) {
      const lock = await locks.acquire(name, `with profile ${profile}`);
      defer(() => lock.release());
    }
  }
  for (const ledger of await ledgersOf(folders, profile)) await checkNoOwner(ledger);
}

/** @throws Failure('locked') if a process has claims in the ledger: a receiver holds no other lock. */
async function checkNoOwner(ledger: SqliteLedgerLocation): Promise<void> {
  const owners = ownerLocks(ledger);
  for (const owner of await owners.names()) {
    if (!(await owners.isHeld(owner))) continue;
    throw new Failure(
      'locked',
      `the ledger ${ledger.path} is in use by run ${owner}`,
      'wait until it has ended, or stop it if it is rewards listen; then run the same command again',
    );
  }
}
