import { join } from 'node:path';
import type { PushJournal } from '../store/push-journal.ts';
import { readPushJournal } from '../store/read-push-journal.ts';
import { openSqlitePushJournal } from '../store/sqlite-push-journal.ts';

/** The journal in the state folder of a profile at one service; a dry run leaves it as it is. */
export function openJournal(folder: string, isDryRun: boolean): Promise<PushJournal> {
  const path = join(folder, 'pushes.db');
  return isDryRun ? readPushJournal(path) : openSqlitePushJournal(path);
}
