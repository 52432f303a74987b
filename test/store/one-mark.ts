import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HighWaterMark } from '../../src/store/ledger/high-water-mark.ts';
import { openHighWaterMarks } from '../../src/store/ledger/high-water-marks.ts';
import { isPostgresUrl } from '../../src/store/sql/postgres-address.ts';
import { temporaryFolder } from '../push/open-push.ts';

export const markedOrigin = 'https://api.example';

export const mark: HighWaterMark = {
  ledgerId: 'L1',
  origin: markedOrigin,
  shop: 'mall',
  accounts: ['A'],
  path: 'other.db',
  inode: null,
  seq: 12,
  seal: 's',
  epoch: 0,
  movedAtMs: 1,
  isRetired: false,
};

/** A folder with one mark: of a ledger in this folder, which has only `there.db`, or in a database. */
export async function folderWithMark(changes: Partial<HighWaterMark> = {}) {
  const folder = temporaryFolder();
  const marksPath = join(folder, 'marks.db');
  const marked = { ...mark, ...changes };
  const path = isPostgresUrl(marked.path) ? marked.path : join(folder, marked.path);
  const marks = await openHighWaterMarks(marksPath);
  marks.add({ ...marked, path });
  marks.close();
  if (marked.path === 'there.db') writeFileSync(path, '');
  return { folder, marksPath, path: join(folder, 'ledger.db') };
}

/** A failure with `.` in place of the folder. */
export function wordsIn(
  folder: string,
  { message, hint }: { readonly message: string; readonly hint?: string | undefined },
) {
  return { message: message.replaceAll(folder, '.'), hint: hint?.replaceAll(folder, '.') };
}
