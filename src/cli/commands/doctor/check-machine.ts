import { version } from '../../../base/version.ts';
import { movedState } from '../../../config/folders.ts';
import type { CheckFinding } from './finding.ts';

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

/** How much room there is for what has to be remembered. */
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
