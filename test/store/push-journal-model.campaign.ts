import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { readPushJournal } from '../../src/store/sqlite/journal/read-push-journal.ts';
import type { RecordsOptions } from '../../src/store/sqlite/journal/records.ts';
import { openSqlitePushJournal } from '../../src/store/sqlite/journal/sqlite-push-journal.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { checkAgainstModel, type ModelPlace } from './push-journal-model.ts';

/* In some, the index is written and merged after a few records, and hashes collide. */
const tunings: readonly (readonly [name: string, options: RecordsOptions])[] = [
  ['as it is in use', {}],
  [
    'whose index is written and merged all the time',
    { sizes: { memoryMaximum: 3, unwrittenMaximum: 1, unwrittenAnswers: 4, mergedAtOnce: 2 } },
  ],
  [
    'whose hashes are nearly all the same',
    {
      sizes: { memoryMaximum: 6, unwrittenMaximum: 2, unwrittenAnswers: 4, mergedAtOnce: 3 },
      hash: (code, id) => (code + id.length) & 1,
    },
  ],
];

/** A file; one that is killed is copied as its process left it. */
function filePlace(options: RecordsOptions, path = join(temporaryFolder(), 'pushes.db')): ModelPlace {
  return {
    open: () => openSqlitePushJournal(path, options),
    read: () => readPushJournal(path, options),
    killed: async () => {
      const copy = join(temporaryFolder(), 'pushes.db');
      for (const end of ['', '-wal']) {
        if (existsSync(`${path}${end}`)) copyFileSync(`${path}${end}`, `${copy}${end}`);
      }
      return filePlace(options, copy);
    },
  };
}

test.each(tunings)(
  'a journal %s knows what a plain map would',
  (_, options) => checkAgainstModel(() => filePlace(options), 40),
  120_000,
);
