import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isTemporaryOf } from '../../base/atomic-file.ts';
import { Failure } from '../../base/failure.ts';
import { shellWord } from '../../base/shell-word.ts';

/**
 * With two names for one file, SQLite keeps two logs, and neither process sees the writes of the other. Removes a name
 * left by a killed `ledger init`.
 * @throws Failure('ledger') if the file has more than one name.
 */
export function checkLinks(path: string): void {
  if (!statSync(path).isFile()) return;
  if (statSync(path).nlink > 1) removeLeftovers(path);
  const { nlink } = statSync(path);
  if (nlink === 1) return;
  throw new Failure(
    'ledger',
    `the ledger ${path} has ${nlink} names (hard links)`,
    `find the others, for instance with find DIRECTORY -xdev -samefile ${shellWord(path)}, and remove them; ` +
      'link to it with ln -s',
  );
}

function removeLeftovers(path: string): void {
  const { ino } = statSync(path, { bigint: true });
  const folder = dirname(path);
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (isTemporaryOf(name, basename(path)) && statSync(file, { bigint: true }).ino === ino) rmSync(file);
  }
}
