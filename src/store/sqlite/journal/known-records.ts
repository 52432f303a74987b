import { knownRecord } from '../../journal/packed/answer.ts';
import type { KnownRecord, PushJournal } from '../../journal/push-journal.ts';
import type { JournalAccess } from './access.ts';
import type { Records } from './records.ts';

/** Looks up records by their ids, as they are in one state of the file. */
export function createKnown({ read }: Pick<JournalAccess, 'read'>, records: Records): PushJournal['known'] {
  return async (kind, originIds) => {
    await records.load();
    return read(() => {
      records.sync();
      const known = new Map<string, KnownRecord>();
      for (const originId of originIds) {
        const found = records.find(kind, originId);
        if (found !== undefined) known.set(originId, knownRecord(found));
      }
      return known;
    });
  };
}
