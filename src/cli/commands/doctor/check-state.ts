import { accessSync, constants, statfsSync } from 'node:fs';
import { Failure, messageOf } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { shellWord } from '../../../base/shell-word.ts';
import { version } from '../../../base/version.ts';
import { movedState } from '../../../config/folders.ts';
import type { RunJournal } from '../../../store/journal/push-journal.ts';
import { openPushJournal } from '../../../store/open-store.ts';
import type { Run } from '../../../store/runs/run-log.ts';
import type { StateLocation } from '../../../store/state/state-location.ts';
import { openState } from '../../runtime/find-state.ts';
import { type RunState, runStates } from '../../templates/push/run-states.ts';
import { hasUnknown } from '../runs/run-record.ts';
import { type CheckFinding, checked, type DoctorInvocation } from './finding.ts';

/** What was done and what is left of it: the state, the disk of its folder, its journal, and the runs on record. */
export async function* checkState(invocation: DoctorInvocation): AsyncGenerator<CheckFinding> {
  const opened = yield* checked('state', async () => {
    const state = await openState(invocation);
    requireWritable(state.folder);
    const journal = await openPushJournal(state);
    const path = state.kind === 'postgres' ? state.path : state.folder;
    return { message: `journal in ${path}`, value: { state, journal } };
  });
  if (opened === undefined) return;
  const { state, journal } = opened;
  try {
    const { bavail, bsize } = statfsSync(state.folder);
    yield checkDisk(state.folder, bavail * bsize);
    yield* checkRuns(journal, state);
  } finally {
    await journal.close();
  }
}

function requireWritable(folder: string): void {
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new Failure(
      'config',
      `${folder} cannot be written to: ${messageOf(error)}`,
      `chmod u+w ${shellWord(folder)}`,
      { cause: error },
    );
  }
}

/** Checks the newest run of each kind: whether it was killed, and whether records of it have an unknown outcome. */
async function* checkRuns(journal: RunJournal, state: StateLocation): AsyncGenerator<CheckFinding> {
  const runs = await journal.runs.list();
  const states = await runStates(runs, state);
  const kinds = new Set<string>();
  for (const run of runs) {
    if (!kinds.has(run.kind)) yield* checkRun(run, states.get(run.id));
    kinds.add(run.kind);
    if (!(await hasUnknown(journal, run))) continue;
    yield {
      check: 'runs',
      status: 'problem',
      message: `run ${run.id} (push of ${run.kind}) left records with an unknown outcome`,
      hint: hint`look for them at the service: ${reviewctl`runs rejects ${run.id} --unknown`}`,
      exitCode: 11,
    };
  }
}

function* checkRun({ id, kind, command, folder }: Run, state: RunState | undefined): Generator<CheckFinding> {
  if (state === 'running') {
    yield { check: 'runs', status: 'ok', message: `run ${id} (push of ${kind}) is running` };
  }
  if (state === 'killed') {
    const message = `run ${id} (push of ${kind}) was killed`;
    yield {
      check: 'runs',
      status: 'warning',
      message,
      hint: hint`to continue, in ${folder}: ${reviewctl`${command}`}`,
    };
  }
}

/** The oldest Node.js that `package.json` and README allow. */
const oldestNode = [20, 19] as const;

/** Below that, a large push may not find room for its journal. */
const freeBytesMinimum = 256 * 1024 * 1024;

/** `nodeVersion` as in Node.js: `22.1.0`. */
export function checkVersions(nodeVersion: string): CheckFinding {
  const message = `reviewctl ${version}, Node.js ${nodeVersion}`;
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldestNode;
  const isSupported = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  if (isSupported) return { check: 'versions', status: 'ok', message };
  return {
    check: 'versions',
    status: 'warning',
    message: `${message}; reviewctl is tested with Node.js ${oldestNode.join('.')} and newer`,
    hint: 'install a newer one: https://nodejs.org',
  };
}

/** Checks the free space for the state. */
export function checkDisk(folder: string, freeBytes: number): CheckFinding {
  const freeMegabytes = Math.floor(freeBytes / 1024 / 1024);
  if (freeBytes >= freeBytesMinimum) {
    return { check: 'disk', status: 'ok', message: `${freeMegabytes} MiB free` };
  }
  return {
    check: 'disk',
    status: 'warning',
    message: `only ${freeMegabytes} MiB free on the disk of ${folder}; a push stops when the disk is full`,
    hint: `free some space on that disk; or ${movedState}`,
  };
}
