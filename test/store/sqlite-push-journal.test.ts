import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/base/sqlite.ts';
import { openSqlitePushJournal } from '../../src/store/sqlite-push-journal.ts';
import { bundled } from '../output/bundled.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { describePushJournal } from './push-journal-suite.ts';

describePushJournal('the journal in a SQLite file', () => {
  const path = join(temporaryFolder(), 'pushes.db');
  return () => openSqlitePushJournal(path);
});

test('what a method wrote survives kill -9 right after it returned', async () => {
  const path = join(temporaryFolder(), 'pushes.db');
  const program = bundled(`
    import { openSqlitePushJournal } from './src/store/sqlite-push-journal.ts';
    const journal = await openSqlitePushJournal(${JSON.stringify(path)});
    const [a, b] = ['A', 'B'].map((originId) => ({ originId, contentHash: 'h' }));
    const first = await journal.begin('order-item', [a]);
    await journal.end('order-item', first, { accepted: [{ ...a, jobId: 'J' }] });
    await journal.begin('order-item', [b]);
    process.kill(process.pid, 'SIGKILL');
  `);
  const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', program]);
  expect(signal).toBe('SIGKILL');
  const journal = await openSqlitePushJournal(path);
  expect(journal.recover('order-item')).toBe(1);
  expect(
    [...journal.known('order-item', ['A', 'B'])].map(([originId, { fate }]) => [originId, fate]),
  ).toEqual([
    ['A', 'accepted'],
    ['B', 'unknown'],
  ]);
});

test('a database of something else, or of a later version, is refused and left as it was', async () => {
  const path = join(temporaryFolder(), 'pushes.db');
  const database = await openDatabase(path, { durability: 'process' });
  database.exec('CREATE TABLE record (id INTEGER PRIMARY KEY)');
  database.close();
  await expect(openSqlitePushJournal(path)).rejects.toMatchObject({ kind: 'unreadable-path' });
  const later = await openDatabase(path, { durability: 'process' });
  expect(later.prepare('SELECT name FROM sqlite_schema').all()).toMatchObject([{ name: 'record' }]);
  later.close();
});
