import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A memory disk of a few megabytes; undefined if this user may not mount one. */
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

/** Fills the remaining space; returns the file that does. */
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
