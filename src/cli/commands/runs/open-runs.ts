import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import type { RunJournal } from '../../../store/journal/push-journal.ts';
import { openPushJournal } from '../../../store/open-store.ts';
import type { Run } from '../../../store/runs/run-log.ts';
import type { StateLocation } from '../../../store/state/state-location.ts';
import { connectionFlags, stateFlags } from '../../flags/shared-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { openState, type StateFlags } from '../../runtime/find-state.ts';

const { debug, profile, baseUrl } = connectionFlags;

/** The flags that locate recorded runs. */
export const placeFlags = { debug, profile, baseUrl, ...stateFlags };

/** The argument that names a run. */
export const runArgument = { term: '<run>', help: 'its id, a unique part of the id, or last' };

/** The runs of one profile at one service. */
export interface OpenRuns {
  readonly journal: RunJournal;
  readonly state: StateLocation;
}

/**
 * Opens the runs of the service that the flags name, until the command has ended.
 * @throws as `openState`.
 */
export async function useRuns(invocation: Invocation<StateFlags>): Promise<OpenRuns> {
  const state = await openState(invocation);
  const journal = await openPushJournal(state);
  invocation.defer(() => journal.close());
  return { journal, state };
}

/**
 * Finds the run of `word`: its id, a unique start or end of the id, or `last` for the newest.
 * @throws Failure('usage') if there is none, or more than one.
 */
export async function findRun({ runs }: RunJournal, word: string): Promise<Run> {
  const all = await runs.list();
  const wanted = word.toLowerCase();
  const found =
    wanted === 'last'
      ? all.slice(0, 1)
      : all.filter(({ id }) => wanted !== '' && (id.startsWith(wanted) || id.endsWith(wanted)));
  const [run] = found;
  if (run !== undefined && found.length === 1) return run;
  if (run === undefined) {
    throw new Failure(
      'usage',
      `no run '${word}' of this profile at this service`,
      hint`${reviewctl`runs list`} shows the runs of pushes, ${reviewctl`status`} the last settlement`,
    );
  }
  const shown = found.slice(0, namedMaximum).map(({ id }) => id);
  throw new Failure('usage', `'${word}' matches several runs: ${shown.join(', ')}`, 'type more of the id');
}

/** Maximum runs listed if several match. */
const namedMaximum = 5;
