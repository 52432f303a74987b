import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { type Folders, findFolders, profileStatePath } from '../../../config/folders.ts';
import { chosenProfile, readConfig } from '../../../config/profiles.ts';
import { renameProfile } from '../../../config/rename-profile.ts';
import type { HighWaterMark } from '../../../store/ledger/high-water-mark.ts';
import { type LedgerLocation, locationAt } from '../../../store/ledger/ledger-location.ts';
import { openLedgerStore } from '../../../store/open-store.ts';
import { connectionFlags } from '../../flags/shared-flags.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';
import { ledgersOf, withUnusedState } from './profile-state.ts';

const { debug } = connectionFlags;
const flags = { debug };
type RenameInvocation = Invocation<typeof flags>;

export const profileRename = defineCommand({
  argument: [
    { term: '<name>', help: 'the profile' },
    { term: '<new-name>', help: 'its new name' },
  ],
  flags,
  acceptsInvalidSettings: true,
  examples: ['reviewctl profile rename default mall'],
  exitCodes: [9, 12],
  run: async (invocation) => {
    const { args, context, notices } = invocation;
    const folders = findFolders(context.env);
    const config = readConfig(folders);
    const [from, to] = [args[0], args[1]].map((word) => chosenProfile(config, word ?? '')) as [
      string,
      string,
    ];
    await withUnusedState(folders, from, async () => {
      const ledgers = await currentLedgers(invocation, folders, from);
      await renameProfile(folders, from, to);
      notices.summary(`profile ${from} is now ${to}`);
      for (const ledger of ledgers) await moveMark(invocation, ledger, { folders, from, to });
    });
    const state = profileStatePath(folders, to);
    if (existsSync(state)) notices.info(`what it sent is on record in ${state}`);
    notices.info(`commands that name it, as in cron, need --profile ${to}`);
    return 0;
  },
});

/** A ledger in use, with its mark. */
interface CurrentLedger {
  readonly location: LedgerLocation;
  readonly mark: HighWaterMark;
}

/** The ledgers in the state of a profile that are in use; any other is judged after the move as it was before. */
async function currentLedgers(
  { context: { clock, random } }: RenameInvocation,
  folders: Folders,
  profile: string,
): Promise<readonly CurrentLedger[]> {
  const found: CurrentLedger[] = [];
  for (const location of await ledgersOf(folders, profile)) {
    const store = await openLedgerStore(location);
    const mark = (await store.marks()).find(({ path, isRetired }) => path === location.path && !isRetired);
    if (mark === undefined) continue;
    const { ledger, standing } = await store.openAny({
      origin: mark.origin,
      isAnyOrigin: true,
      clock,
      random,
    });
    await ledger.close();
    if (standing.kind === 'current') found.push({ location, mark });
  }
  return found;
}

/** The mark names the path of its ledger, so that a second one is never made beside it. */
async function moveMark(
  { context: { clock }, notices }: RenameInvocation,
  { location, mark }: CurrentLedger,
  { folders, from, to }: { readonly folders: Folders; readonly from: string; readonly to: string },
): Promise<void> {
  const below = location.path.slice(profileStatePath(folders, from).length);
  const path = join(profileStatePath(folders, to), below);
  try {
    const store = await openLedgerStore(locationAt(path, location.marksPath));
    const ledger = await store.openUnjudged({ clock });
    try {
      await store.move(ledger, { clock });
    } finally {
      await ledger.close();
    }
    notices.info(`its ledger moved with it: ${path}, which stays the ledger of the shop '${mark.shop}'`);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    notices.warning(
      error.message,
      hint`look at it, then: ${reviewctl`ledger move --profile ${to} --ledger ${path}`}`,
    );
  }
}
