import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder of the test's own, gone when it ends. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'reviewctl-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The path of a file with this content and, whatever the umask, these permissions. */
export function fileWith(text: string, { name = 'file', mode = 0o600, folder = testFolder() } = {}): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}
