import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { serviceUrl } from '../../../client/open-service.ts';
import { findFolders, stateFolder } from '../../../config/folders.ts';
import type { RunJournal } from '../../../store/journal/push-journal.ts';
import { openPushJournal, stateLocation } from '../../../store/open-store.ts';
import type { Run } from '../../../store/runs/run-log.ts';
import { connectionFlags } from '../../flags/shared-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { type ConnectionFlags, requireBaseUrl } from '../../runtime/session.ts';

const { debug, profile, baseUrl } = connectionFlags;

/** What names the place where runs are on record. */
export const placeFlags = { debug, profile, baseUrl };
type PlaceFlags = typeof placeFlags;

/** How a run is named. */
export const runArgument = { term: '<run>', help: 'its id, a unique part of the id, or last' };

/** The runs of one profile at one service. */
export interface OpenRuns {
  readonly journal: RunJournal;
  readonly folder: string;
}

/**
 * Opens the runs of the service the flags name, does `work` with them and closes them whatever happens.
 * @throws Failure('config') without an address, and what `work` throws.
 */
export async function withRuns<const T>(
  { context, flags, sources }: Invocation<PlaceFlags | ConnectionFlags>,
  work: (runs: OpenRuns) => Promise<T>,
): Promise<T> {
  const address = serviceUrl(requireBaseUrl(flags.baseUrl));
  const folder = stateFolder(findFolders(context.env), sources.profile.name, address);
  const journal = await openPushJournal(stateLocation(folder));
  try {
    return await work({ journal, folder });
  } finally {
    await journal.close();
  }
}

/**
 * The run that `word` names: its id, a beginning or an end of it that no other has, or `last` for the newest.
 * @throws Failure('usage') where there is none, or more than one.
 */
export async function findRun({ runs }: RunJournal, word: string): Promise<Run> {
  const all = await runs.list();
  const asked = word.toLowerCase();
  const found =
    asked === 'last'
      ? all.slice(0, 1)
      : all.filter(({ id }) => asked !== '' && (id.startsWith(asked) || id.endsWith(asked)));
  const [run] = found;
  if (run !== undefined && found.length === 1) return run;
  if (run === undefined) {
    throw new Failure(
      'usage',
      `no run '${word}' of this profile at this service`,
      hint`${reviewctl`runs list`} shows them`,
    );
  }
  const shown = found.slice(0, namedMaximum).map(({ id }) => id);
  throw new Failure('usage', `'${word}' matches several runs: ${shown.join(', ')}`, 'type more of the id');
}

/** Runs that are named where several fit. */
const namedMaximum = 5;
