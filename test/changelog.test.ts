import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase, readPragma } from '../src/base/sqlite.ts';
import { planFormat } from '../src/store/plans/plan-file.ts';
import { openSqlitePushJournal } from '../src/store/sqlite/journal/sqlite-push-journal.ts';
import { makeLedgerFile } from '../src/store/sqlite/ledger/ledger-file.ts';
import { temporaryFolder } from './cli/run-cli.ts';

const changelog = readFileSync('CHANGELOG.md', 'utf8');

/** The format that was named last for a kind of file. */
function namedFormat(file: string): number {
  return Number(new RegExp(`^\\| ${file} \\| \\*\\*format (\\d+)\\*\\* \\|$`, 'm').exec(changelog)?.[1]);
}

async function formatOf(path: string): Promise<number> {
  const database = await openDatabase(path, { durability: 'process' });
  const format = Number(readPragma(database, 'user_version'));
  database.close();
  return format;
}

test('the changelog names the formats that this version writes', async () => {
  const folder = temporaryFolder();
  const [ledger, journal] = [join(folder, 'ledger.db'), join(folder, 'journal.db')];
  (await makeLedgerFile(ledger)).close();
  await (await openSqlitePushJournal(journal)).close();
  expect({
    ledger: namedFormat('ledger of rewards'),
    journal: namedFormat('journal of pushes'),
    plan: namedFormat('plan'),
  }).toEqual({ ledger: await formatOf(ledger), journal: await formatOf(journal), plan: planFormat });
});
