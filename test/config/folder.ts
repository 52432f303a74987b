import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder for one test, removed at its end. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'reviewctl-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates a file with this content and, regardless of the umask, these permissions; returns its path. */
export function fileWith(text: string, { name = 'file', mode = 0o600, folder = testFolder() } = {}): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}
