import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { serviceUrl } from '../../../client/open-service.ts';
import { stateFolderPath } from '../../../config/folders.ts';
import type { RunJournal } from '../../../store/journal/push-journal.ts';
import { openExistingPushJournal } from '../../../store/open-store.ts';
import type { Run, RunInput } from '../../../store/runs/run-log.ts';
import { stateLocation } from '../../../store/state/state-location.ts';
import { requireBaseUrl } from '../../runtime/session.ts';
import { findRun } from './open-runs.ts';

/** A run of an import, and where it is on record. */
export interface ImportRun {
  readonly run: Run & { readonly input: RunInput };
  readonly journal: RunJournal;
  /** The index of the journal. */
  readonly place: number;
  /** Its id; with the folder, where that is another one than this machine uses. */
  readonly name: string;
}

/** A journal with the state directory that it is in; undefined for that of this machine. */
export interface RunPlace {
  readonly journal: RunJournal;
  readonly directory?: string;
}

/**
 * Opens the journals in the state directories of other machines.
 * @throws Failure('usage') where one has none for this profile and service.
 */
export async function openPlaces(
  directories: readonly string[],
  { profile, baseUrl }: { readonly profile: string; readonly baseUrl: string | undefined },
): Promise<readonly RunPlace[]> {
  const places: RunPlace[] = [];
  const address = serviceUrl(requireBaseUrl(baseUrl));
  for (const directory of directories) {
    const folder = stateFolderPath({ state: directory }, profile, address);
    const journal = await openExistingPushJournal(stateLocation(folder));
    if (journal !== undefined) {
      places.push({ journal, directory });
      continue;
    }
    for (const { journal: opened } of places) await opened.close();
    throw new Failure(
      'usage',
      `--from ${directory}: no push of profile ${profile} to ${address.href} is on record there`,
      'name a folder that was the state folder of another machine (REVIEWCTL_STATE_DIR there)',
    );
  }
  return places;
}

/**
 * The runs of one import, in the order in which they began: those with the name `batch`, or those that are named.
 * @throws Failure('usage') where there is none, or where they do not belong together; as `findRun`.
 */
export async function findImportRuns(
  places: readonly RunPlace[],
  { batch, words }: { readonly batch: string | undefined; readonly words: readonly string[] },
): Promise<readonly ImportRun[]> {
  const found: ImportRun[] = [];
  for (const [place, { journal, directory }] of places.entries()) {
    const runs =
      batch === undefined ? await namedRuns(journal, place === 0 ? words : []) : await journal.runs.list();
    for (const run of runs) {
      if (batch !== undefined && run.batch !== batch) continue;
      const name = directory === undefined ? run.id : `${run.id} in ${directory}`;
      found.push({ run: ofImport(run, name), journal, place, name });
    }
  }
  const inTurn = found.toSorted(
    (one, other) => one.run.startedMs - other.run.startedMs || one.place - other.place,
  );
  const [first] = inTurn;
  if (first === undefined) throw noRuns(batch ?? '');
  for (const other of inTurn.slice(1)) checkSame(first, other);
  return inTurn;
}

async function namedRuns(journal: RunJournal, words: readonly string[]): Promise<readonly Run[]> {
  const runs = new Map<string, Run>();
  for (const word of words) {
    const run = await findRun(journal, word);
    runs.set(run.id, run);
  }
  return [...runs.values()];
}

function ofImport(run: Run, name: string): ImportRun['run'] {
  const { input } = run;
  if (input !== undefined) return { ...run, input };
  throw new Failure(
    'usage',
    `run ${name} is not part of an import: it was pushed without --shard and --batch`,
    hint`to see its results: ${reviewctl`runs show ${run.id}`}`,
  );
}

/** @throws Failure('usage') for runs of different inputs, which no report can have in common. */
function checkSame(one: ImportRun, other: ImportRun): void {
  const difference = differenceOf(one.run, other.run);
  if (difference === undefined) return;
  throw new Failure(
    'usage',
    `runs ${one.name} and ${other.name} do not belong to one import: ${difference}`,
    'name the runs of one import; every shard has to read the same files with the same flags',
  );
}

function differenceOf(one: ImportRun['run'], other: ImportRun['run']): string | undefined {
  if (one.kind !== other.kind) return `one pushed ${one.kind}, the other ${other.kind}`;
  if (one.input.digest !== other.input.digest)
    return `their files differ (SHA-256 ${one.input.digest.slice(0, 12)}… and ${other.input.digest.slice(0, 12)}…)`;
  if (one.input.reading !== other.input.reading || one.input.records !== other.input.records)
    return 'they read the same files with different flags or settings';
  return undefined;
}

function noRuns(batch: string): Failure {
  return new Failure(
    'usage',
    `no run of the import '${batch}' is on record`,
    hint`${reviewctl`runs list --fields run,batch,shard`} shows the names`,
  );
}
