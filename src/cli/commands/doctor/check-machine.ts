import { version } from '../../../base/version.ts';
import { movedState } from '../../../config/folders.ts';
import type { CheckFinding } from './finding.ts';

/** The oldest Node.js line that still gets security fixes. */
const supportedNodeMajor = 22;

/** Below that, a large push may not find room for its journal. */
const freeBytesMinimum = 256 * 1024 * 1024;

/** `nodeVersion` as in Node.js: `22.1.0`. */
export function checkVersions(nodeVersion: string): CheckFinding {
  const message = `reviewctl ${version}, Node.js ${nodeVersion}`;
  const isSupported = Number(nodeVersion.split('.')[0]) >= supportedNodeMajor;
  if (isSupported) return { check: 'versions', status: 'ok', message };
  return {
    check: 'versions',
    status: 'warning',
    message: `${message}; this release line of Node.js no longer receives security fixes`,
    hint: `everything works, but Node.js ${supportedNodeMajor} or newer is safer: https://nodejs.org`,
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
