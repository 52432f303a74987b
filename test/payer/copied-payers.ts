import { chmodSync, cpSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Copies the folder of the example payers. Programs that other users could change are refused, and a repository may be
 * checked out by another user, or with a umask that gives a group write access.
 */
export function copiedPayers(folder = mkdtempSync(join(tmpdir(), 'reviewctl-payers-'))): string {
  cpSync(join(import.meta.dirname, '../../fixtures/payers'), folder, { recursive: true });
  for (const path of [folder, ...readdirSync(folder).map((name) => join(folder, name))])
    chmodSync(path, 0o755);
  return folder;
}
