import { chmodSync, cpSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The folder of the example payers, copied: programs that others could change are refused, and a repository may be
 * checked out by another user, or with a umask that lets a group write.
 */
export function copiedPayers(folder = mkdtempSync(join(tmpdir(), 'reviewctl-payers-'))): string {
  cpSync(join(import.meta.dirname, '../../fixtures/payers'), folder, { recursive: true });
  for (const path of [folder, ...readdirSync(folder).map((name) => join(folder, name))])
    chmodSync(path, 0o755);
  return folder;
}
