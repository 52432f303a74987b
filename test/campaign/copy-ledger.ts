import { copyFileSync, existsSync, rmSync } from 'node:fs';

const suffixes = ['', '-wal'];

/** As `cp ledger.db* …` does it: the file, and what is not yet in it. */
export function copyLedger(from: string, to: string): void {
  removeLedger(to);
  for (const suffix of suffixes) if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix);
}

export function removeLedger(path: string): void {
  for (const suffix of [...suffixes, '-shm']) rmSync(path + suffix, { force: true });
}
