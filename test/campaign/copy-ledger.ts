import { copyFileSync, existsSync, rmSync } from 'node:fs';

const suffixes = ['', '-wal'];

/** Like `cp ledger.db* …`: copies the file and its log. */
export function copyLedger(from: string, to: string): void {
  removeLedger(to);
  for (const suffix of suffixes) if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix);
}

export function removeLedger(path: string): void {
  for (const suffix of [...suffixes, '-shm']) rmSync(path + suffix, { force: true });
}
