import { accessSync, constants, statfsSync } from 'node:fs';
import { Failure, messageOf } from '../../../base/failure.ts';
import { shellWord } from '../../../base/shell-word.ts';
import { version } from '../../../base/version.ts';
import { movedState } from '../../../config/folders.ts';
import { openPushJournal } from '../../../store/open-store.ts';
import { openState } from '../../runtime/find-state.ts';
import { type CheckFinding, checked, type DoctorInvocation } from './finding.ts';

/** Checks the state, its journal, and the disk of its folder. */
export async function* checkState(invocation: DoctorInvocation): AsyncGenerator<CheckFinding> {
  const folder = yield* checked('state', async () => {
    const state = await openState(invocation);
    requireWritable(state.folder);
    await (await openPushJournal(state)).close();
    const path = state.kind === 'postgres' ? state.path : state.folder;
    return { message: `journal in ${path}`, value: state.folder };
  });
  if (folder === undefined) return;
  const { bavail, bsize } = statfsSync(folder);
  yield checkDisk(folder, bavail * bsize);
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

/** The oldest Node.js that `package.json` and README allow. */
const oldestNode = [20, 19] as const;

/** With less space, a large push may not be able to write its journal. */
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
