import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { openJournal, readJournal } from '../../src/store/journal/open-journal.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { checkAgainstModel, type ModelPlace } from './push-journal-model.ts';

/** A file. A kill copies it as the process left it. */
function filePlace(path = join(temporaryFolder(), 'pushes.db')): ModelPlace {
  return {
    open: () => openJournal({ kind: 'sqlite', path }),
    read: () => readJournal({ kind: 'sqlite', path }),
    killed: async () => {
      const copy = join(temporaryFolder(), 'pushes.db');
      for (const end of ['', '-wal']) {
        if (existsSync(`${path}${end}`)) copyFileSync(`${path}${end}`, `${copy}${end}`);
      }
      return filePlace(copy);
    },
  };
}

test('a journal knows what a plain map would', () => checkAgainstModel(filePlace, 100), 240_000);
