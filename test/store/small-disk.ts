import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of a few megabytes in memory; undefined where this user may mount none. */
export function mountSmallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'reviewctl-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=72m,mode=755', 'tmpfs', folder], { stdio: 'ignore' });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
}

export function unmount(folder: string): void {
  execFileSync('umount', [folder]);
  rmSync(folder, { recursive: true });
}

/** Takes every byte that is left; returns the file that has them. */
export function fill(folder: string): string {
  const path = join(folder, 'filler');
  const file = openSync(path, 'w');
  try {
    for (const bytes of [1 << 20, 4096]) {
      try {
        for (;;) writeSync(file, Buffer.alloc(bytes));
      } catch {
        // Less than that is left.
      }
    }
  } finally {
    closeSync(file);
  }
  return path;
}
