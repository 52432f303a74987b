import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

const memory = '/dev/shm';
const neededBytes = 2 ** 30;

/**
 * Collects the temporary files of a test run in one folder, and removes it at the end. For quick tests it is in memory
 * if the machine has room: ledgers wait for the disk after each event, and a kill, unlike a power cut, loses nothing in
 * memory.
 */
export function setup({ name }: TestProject): void {
  // Group-writable files are refused in many places, and the default umask of some systems creates such files.
  process.umask(0o022);
  const folder = (name === 'campaign' ? undefined : memoryFolder()) ?? temporaryFolder(tmpdir());
  Object.assign(process.env, { TMPDIR: folder, TEMP: folder });
  process.once('exit', () => remove(folder));
}

function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize < neededBytes) return undefined;
    const folder = temporaryFolder(memory);
    if (runsPrograms(folder)) return folder;
    remove(folder);
  } catch {
    // There is no such folder, or it is not writable.
  }
  return undefined;
}

/** Containers mount memory without permission to execute, and tests write programs of payers. */
function runsPrograms(folder: string): boolean {
  const program = join(folder, 'program.sh');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
  return spawnSync(program).status === 0;
}

function temporaryFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, 'reviewctl-tests-'));
  // Some tests run a program as another user.
  chmodSync(folder, 0o755);
  return folder;
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
